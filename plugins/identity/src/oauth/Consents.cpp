#include "oauth/Consents.h"

#include "audit/Audit.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity::consents
{

namespace
{

struct Granted
{
    std::vector<std::string> scopes;
};

constexpr auto schemaOf(const Granted*) { return describe(field<&Granted::scopes>()); }

std::vector<std::string> grantedTo(Session& session, const UserId& user, const OAuthClient& client)
{
    return session.one<Granted>("SELECT scopes FROM oauth_consents WHERE user_id = $1 AND client_id = $2", user, client.clientId)
        .value_or(Granted())
        .scopes;
}

} // namespace

bool covers(Session& session, const UserId& user, const OAuthClient& client, std::string_view scope)
{
    const auto granted = grantedTo(session, user, client);
    const auto words = scopeWords(scope);
    return !granted.empty() &&
           std::ranges::all_of(words, [&](const std::string& word) { return std::ranges::find(granted, word) != granted.end(); });
}

void grant(Transaction& transaction, const UserId& user, const OAuthClient& client, std::string_view scope, const Client& from, Instant now)
{
    // Adds to the earlier consent, whose tokens stay valid.
    const auto words = scopeWords(joinScope(grantedTo(transaction, user, client)) + ' ' + std::string(scope));
    transaction.execute(
        "INSERT INTO oauth_consents (user_id, client_id, scopes, version, created_at, updated_at) VALUES ($1, $2, $3, 1, $4, $4) "
        "ON CONFLICT (user_id, client_id) DO UPDATE SET scopes = excluded.scopes, updated_at = excluded.updated_at, version = "
        "oauth_consents.version + 1",
        user, client.clientId, toJson(words), now);
    AuditLog::ofUser(from, user, now).record(transaction, "oauth_consent.granted", client.clientId);
}

bool holds(Transaction& transaction, const UserId& user, const OAuthClient& client)
{
    return client.consent == ConsentMode::Implicit ||
           transaction.execute("UPDATE oauth_consents SET version = version WHERE user_id = $1 AND client_id = $2", user, client.clientId) >
               0;
}

} // namespace portico::identity::consents
