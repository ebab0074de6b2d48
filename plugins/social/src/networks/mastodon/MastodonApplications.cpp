#include "networks/mastodon/MastodonApplications.h"

#include "portico/Json.h"

namespace portico::social::mastodon
{

namespace
{
std::string purposeOf(std::string_view serverUrl) { return "mastodon-application:" + std::string(serverUrl); }
} // namespace

std::optional<Application> Applications::find(std::string_view serverUrl, std::string_view redirectUri) const
{
    if (!_sealer) return std::nullopt;
    auto session = _database.session();
    const auto sealed = session.value<std::string>("SELECT secrets FROM network_application WHERE server_url = $1 AND redirect_uri = $2",
                                                   serverUrl, redirectUri);
    const auto opened = sealed ? _sealer->tryOpen(*sealed, purposeOf(serverUrl)) : std::nullopt;
    if (!opened) return std::nullopt;
    return fromStoredJson<Application>(*opened);
}

void Applications::store(std::string_view serverUrl, std::string_view redirectUri, const Application& application) const
{
    if (!_sealer) return;
    const auto sealed = _sealer->seal(toJson(application), purposeOf(serverUrl));
    _database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute("INSERT INTO network_application (server_url, redirect_uri, secrets, created_at) VALUES ($1, $2, $3, $4)"
                                " ON CONFLICT (server_url, redirect_uri) DO UPDATE SET secrets = excluded.secrets,"
                                " created_at = excluded.created_at",
                                serverUrl, redirectUri, sealed, _clock.now());
        });
}

void Applications::forget(std::string_view serverUrl, std::string_view redirectUri) const
{
    _database.transact(
        [&](Transaction& transaction)
        { transaction.execute("DELETE FROM network_application WHERE server_url = $1 AND redirect_uri = $2", serverUrl, redirectUri); });
}

} // namespace portico::social::mastodon
