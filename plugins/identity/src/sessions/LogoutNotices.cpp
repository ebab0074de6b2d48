#include "sessions/LogoutNotices.h"

#include "catalog/CatalogStore.h"
#include "catalog/Manifest.h"
#include "web/Urls.h"

#include "portico/Json.h"

namespace portico::identity::logout_notices
{

LogoutUris urisOf(Session& session, const SignIn& signIn)
{
    if (signIn.clientId.starts_with(clientIdPrefix))
    {
        auto rows = session.query("SELECT frontchannel_logout_uri, backchannel_logout_uri FROM oauth_clients "
                                  "WHERE client_id = $1 AND deleted_at IS NULL",
                                  signIn.clientId);
        const auto row = rows.next();
        if (!row) return {};
        return {row->get<std::optional<std::string>>(0), row->get<std::optional<std::string>>(1)};
    }
    const auto service = CatalogStore::row(session, signIn.serviceId);
    if (!service) return {};
    auto manifest = fromStoredJson<ServiceManifest>(service->manifest);
    return {std::move(manifest.frontchannelLogoutUrl), std::move(manifest.backchannelLogoutUrl)};
}

void note(Session& session, const SignIn& ended, Instant now)
{
    if (!urisOf(session, ended).backchannel) return;
    session.execute("INSERT INTO logout_notices (session_id, client_id, created_at) VALUES ($1, $2, $3)", ended.id, ended.clientId, now);
}

std::vector<std::string> frontchannel(Session& session, const std::vector<std::string>& endedIds, std::string_view issuer)
{
    std::vector<std::string> urls;
    for (const auto& id : endedIds)
    {
        const auto signIn = sign_ins::find(session, id);
        const auto uri = signIn ? urisOf(session, *signIn).frontchannel : std::nullopt;
        if (uri) urls.push_back(withQuery(*uri, {{"iss", std::string(issuer)}, {"sid", id}}));
    }
    return urls;
}

} // namespace portico::identity::logout_notices
