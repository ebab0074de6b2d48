#include "oauth/Consents.h"

#include "audit/Audit.h"

#include <algorithm>

namespace portico::identity::consents
{

bool covers(Session& session, const UserId& user, const OAuthClient& client, std::string_view scope)
{
    const auto granted =
        session.value<std::string>("SELECT scopes FROM oauth_consents WHERE user_id = $1 AND client_id = $2", user, client.clientId);
    if (!granted) return false;
    const auto words = scopeWords(scope);
    return std::ranges::all_of(words, [&](const std::string& word) { return granted->find('"' + word + '"') != std::string::npos; });
}

void grant(Transaction& transaction, const UserId& user, const OAuthClient& client, std::string_view scope, const Client& from, Instant now)
{
    std::string scopes = "[";
    for (const auto& word : scopeWords(scope)) scopes += (scopes.size() > 1 ? ",\"" : "\"") + word + '"';
    scopes += ']';
    transaction.execute(
        "INSERT INTO oauth_consents (user_id, client_id, scopes, version, created_at, updated_at) VALUES ($1, $2, $3, 1, $4, $4) "
        "ON CONFLICT (user_id, client_id) DO UPDATE SET scopes = excluded.scopes, updated_at = excluded.updated_at, version = "
        "oauth_consents.version + 1",
        user, client.clientId, scopes, now);
    audit::record(transaction, from, now, {"oauth_consent.granted", "user", user.text(), client.clientId, std::string(identityServiceId)});
}

bool holds(Transaction& transaction, const UserId& user, const OAuthClient& client)
{
    return client.consent == ConsentMode::Implicit ||
           transaction.execute("UPDATE oauth_consents SET version = version WHERE user_id = $1 AND client_id = $2", user, client.clientId) >
               0;
}

} // namespace portico::identity::consents
