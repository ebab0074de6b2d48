#include "clients/OAuthClient.h"

#include "catalog/NativeClient.h"
#include "clients/DeclaredClients.h"
#include "clients/PairwiseSubjects.h"
#include "jose/JsonWebKey.h"
#include "records/Organization.h"
#include "sessions/SignIn.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::identity
{

namespace
{

constexpr std::array grants = {grant::code, grant::refresh, grant::credentials, grant::device, grant::exchange};
constexpr std::array<std::string_view, 6> scopesOfPeople = {"openid", "profile", "email", "organizations", "offline_access", "scim"};

bool contains(const auto& list, std::string_view value) { return std::ranges::find(list, value) != std::ranges::end(list); }

bool isRedirectTarget(const std::string& uri, ClientType type)
{
    const auto origin = originOf(uri);
    const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
    if (origin.empty() || uri.size() > 2048 || uri.find('#') != std::string::npos || !std::ranges::all_of(uri, visible)) return false;
    if (origin.starts_with("https://")) return true;
    if (origin.starts_with("http://")) return isLoopback(origin);
    // Accepts a private-use scheme that contains the app's domain (RFC 8252, 7.1), never one that browsers run.
    return type == ClientType::Native && origin.find('.') != std::string::npos;
}

/// Returns `http://127.0.0.1:8123/cb` without its port; empty unless it is a loopback address.
std::string withoutPort(std::string_view uri)
{
    for (const std::string_view host : {"http://127.0.0.1", "http://[::1]", "http://localhost"})
    {
        if (!uri.starts_with(host)) continue;
        auto rest = uri.substr(host.size());
        if (rest.starts_with(':')) rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
        if (rest.empty() || rest.front() == '/' || rest.front() == '?') return std::string(host) + std::string(rest);
    }
    return {};
}

void checkSubjects(const OAuthClient& client, Faults& faults)
{
    if (client.sectorIdentifierUri && !client.sectorIdentifierUri->starts_with("https://"))
        faults.add("sector_identifier_uri", "invalid_url", "The list of a sector is read by https");
    if (client.subjectType != "public" && !client.isPairwise()) faults.add("subject_type", "invalid_choice", "Use public or pairwise");
    if (!client.isPairwise()) return;
    if (client.serviceId) faults.add("subject_type", "public_only", "A service knows people by their ids");
    if (pairwise_subjects::sectorOf(client).empty())
        faults.add("sector_identifier_uri", "required", "Redirect addresses on several hosts, or on none, need one that lists them");
}

} // namespace

bool OAuthClient::hasGrant(std::string_view wanted) const { return contains(grantTypes, wanted); }

bool OAuthClient::hasScope(std::string_view scope) const { return contains(scopes, scope); }

bool OAuthClient::isRedirect(std::string_view uri) const
{
    if (contains(redirectUris, uri)) return true;
    const auto plain = type == ClientType::Native ? withoutPort(uri) : std::string();
    return !plain.empty() && std::ranges::any_of(redirectUris, [&](const std::string& known) { return withoutPort(known) == plain; });
}

std::optional<OAuthClient> oauth_clients::find(Session& session, std::string_view clientId)
{
    auto client = session.one<OAuthClient>(
        "SELECT " + columns<OAuthClient>() + " FROM oauth_clients WHERE client_id = $1 AND deleted_at IS NULL", clientId);
    return client ? std::move(client) : declared_clients::find(session, clientId);
}

std::vector<OAuthClient> oauth_clients::nativeOf(Session& session, std::string_view serviceId)
{
    auto clients = session.all<OAuthClient>("SELECT " + columns<OAuthClient>() +
                                                " FROM oauth_clients WHERE service_id = $1 AND type = 'native' AND deleted_at IS NULL",
                                            serviceId);
    if (auto declared = declared_clients::nativeOf(session, serviceId)) clients.push_back(*std::move(declared));
    return clients;
}

void oauth_clients::check(const OAuthClient& client)
{
    Faults faults;
    for (std::size_t i = 0; i < client.redirectUris.size(); ++i)
        if (!isRedirectTarget(client.redirectUris[i], client.type))
            faults.add("redirect_uris[" + std::to_string(i) + ']', "invalid_redirect_uri",
                       "Expected https without a fragment, or for a native app a loopback address or a private-use scheme");
    for (std::size_t i = 0; i < client.postLogoutRedirectUris.size(); ++i)
        if (!isRedirectTarget(client.postLogoutRedirectUris[i], client.type))
            faults.add("post_logout_redirect_uris[" + std::to_string(i) + ']', "invalid_redirect_uri", "Expected https without a fragment");
    for (const auto& type : client.grantTypes)
        if (!contains(grants, type)) faults.add("grant_types", "unknown_grant_type", "There is no grant type of that name");
    for (const auto& scope : client.scopes)
        if (!contains(scopesOfPeople, scope)) faults.add("scopes", "unknown_scope", "There is no scope of that name");
    if (client.hasGrant(grant::code) && client.redirectUris.empty())
        faults.add("redirect_uris", "required", "People have to come back somewhere");
    const bool keepsSecrets = client.type == ClientType::Confidential;
    if (keepsSecrets == (client.tokenEndpointAuthMethod == ClientAuthMethod::None))
        faults.add("token_endpoint_auth_method", "invalid_choice", "Confidential clients must authenticate, public ones cannot");
    if (!keepsSecrets && (client.hasGrant(grant::credentials) || client.hasGrant(grant::exchange)))
        faults.add("grant_types", "confidential_only", "Only confidential clients may use this grant");
    if (!keepsSecrets && !client.requirePkce) faults.add("require_pkce", "confidential_only", "Public clients always use PKCE");
    if (sizeOfSet(client.jwks.text) > maxKeysOfSet) faults.add("jwks", "too_many_items", "Expected 20 keys at most");
    const auto isSound = [](const JsonWebKey& key) { return key.isSound(); };
    if (client.tokenEndpointAuthMethod == ClientAuthMethod::PrivateKeyJwt && !client.jwksUri &&
        std::ranges::none_of(keysOf(client.jwks.text), isSound))
        faults.add("jwks", "required", "The keys that its assertions are signed with");
    checkSubjects(client, faults);
    if (client.consent == ConsentMode::Implicit && !client.firstParty)
        faults.add("consent", "first_party_only", "Other people's apps ask for consent");
    faults.raise();
}

std::vector<std::string> oauth_clients::remove(Transaction& transaction, const OAuthClient& client, std::string_view reason, Instant now,
                                               const AuditLog& by)
{
    transaction.execute("UPDATE oauth_clients SET deleted_at = $2 WHERE client_id = $1", client.clientId, now);
    transaction.execute("DELETE FROM oauth_client_secrets WHERE client_id = $1", client.clientId);
    transaction.execute("DELETE FROM oauth_consents WHERE client_id = $1", client.clientId);
    auto own = sign_ins::ofClient(transaction, client.clientId, {});
    // Other organizations and users do not see who removed the client, nor that person's network and device.
    const auto others =
        std::stable_partition(own.begin(), own.end(), [&](const SignIn& signIn) { return signIn.organizationId == client.ownerId; });
    const auto unnamed = AuditLog::anonymous({}, now);
    auto ended = sign_ins::end(transaction, {others, own.end()}, reason, now, &unnamed);
    own.erase(others, own.end());
    std::ranges::move(sign_ins::end(transaction, own, reason, now, &by), std::back_inserter(ended));
    return ended;
}

std::vector<std::string> oauth_clients::removeOf(Transaction& transaction, const OrganizationId& owner, std::string_view reason,
                                                 Instant now, const AuditLog& by)
{
    std::vector<std::string> ended;
    for (const auto& client : oauthClientTable.select(owner).all(transaction))
        std::ranges::move(remove(transaction, client, reason, now, by), std::back_inserter(ended));
    return ended;
}

OAuthClient oauth_clients::create(Transaction& transaction, const OAuthClient& client, const Stamp& stamp)
{
    organizations::requireOpenWorkspace(transaction, client.ownerId);
    return oauthClientTable.create(transaction, client.ownerId, client, stamp);
}

std::string oauth_clients::addSecret(Transaction& transaction, std::string_view clientId, Instant now, Instant overlapEnd)
{
    if (const auto client = find(transaction, clientId)) organizations::requireOpenWorkspace(transaction, client->ownerId);
    auto secret = randomToken();
    // At most two secrets are valid: one that was about to expire is removed now.
    transaction.execute("DELETE FROM oauth_client_secrets WHERE client_id = $1 AND expires_at IS NOT NULL", clientId);
    transaction.execute("UPDATE oauth_client_secrets SET expires_at = $2 WHERE client_id = $1", clientId, overlapEnd);
    transaction.execute("INSERT INTO oauth_client_secrets (secret_hash, client_id, created_at) VALUES ($1, $2, $3)", sha256(secret).hex(),
                        clientId, now);
    return secret;
}

bool oauth_clients::isSecret(Session& session, std::string_view clientId, std::string_view secret, Instant now)
{
    bool matches = false;
    const auto hash = sha256(secret).hex();
    for (Row row :
         session.query("SELECT secret_hash FROM oauth_client_secrets WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > $2)",
                       clientId, now))
        matches = sameSecret(row.text(0), hash) || matches;
    return matches;
}

std::optional<oauth_clients::SecretHolder> oauth_clients::findBySecret(Session& session, std::string_view secret, Instant now)
{
    // Lookup by the hash of 256 random bits: its duration reveals nothing about other secrets.
    for (Row row : session.query("SELECT client_id, expires_at FROM oauth_client_secrets WHERE secret_hash = $1 AND "
                                 "(expires_at IS NULL OR expires_at > $2)",
                                 sha256(secret).hex(), now))
    {
        const auto clientId = row.get<std::string>(0);
        const auto until = row.get<std::optional<Instant>>(1);
        if (auto client = find(session, clientId)) return SecretHolder{*std::move(client), until};
        break;
    }
    return std::nullopt;
}

std::optional<Instant> oauth_clients::firstSecretEnd(Session& session, std::string_view clientId, Instant now)
{
    return session.value<Instant>(
        "SELECT expires_at FROM oauth_client_secrets WHERE client_id = $1 AND expires_at > $2 ORDER BY expires_at LIMIT 1", clientId, now);
}

std::vector<std::string> scopeWords(std::string_view scope)
{
    std::vector<std::string> words;
    while (!scope.empty())
    {
        const auto space = scope.find(' ');
        const auto word = scope.substr(0, space);
        if (!word.empty() && !contains(words, word)) words.emplace_back(word);
        scope.remove_prefix(space == std::string_view::npos ? scope.size() : space + 1);
    }
    return words;
}

std::string joinScope(const std::vector<std::string>& words)
{
    std::string scope;
    for (const auto& word : words) (scope += scope.empty() ? "" : " ") += word;
    return scope;
}

bool hasWord(std::string_view scope, std::string_view word) { return contains(scopeWords(scope), word); }

} // namespace portico::identity
