#pragma once

#include "common/Ids.h"
#include "common/Names.h"
#include "jose/KeySet.h"

#include "portico/Json.h"
#include "portico/Table.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

class AuditLog;

enum class ClientType : std::uint8_t
{
    Confidential, ///< keeps a secret or a key: a server
    Public,       ///< a page
    Native        ///< an app on a device
};

constexpr auto schemaOf(const ClientType*)
{
    using enum ClientType;
    return portico::choices<ClientType>({{"confidential", Confidential}, {"public", Public}, {"native", Native}});
}

enum class ClientAuthMethod : std::uint8_t
{
    None,
    SecretBasic,
    SecretPost,
    PrivateKeyJwt
};

constexpr auto schemaOf(const ClientAuthMethod*)
{
    using enum ClientAuthMethod;
    return portico::choices<ClientAuthMethod>(
        {{"none", None}, {"client_secret_basic", SecretBasic}, {"client_secret_post", SecretPost}, {"private_key_jwt", PrivateKeyJwt}});
}

constexpr bool usesSecret(ClientAuthMethod method)
{
    return method == ClientAuthMethod::SecretBasic || method == ClientAuthMethod::SecretPost;
}

enum class ConsentMode : std::uint8_t
{
    Explicit,
    Implicit
};

constexpr auto schemaOf(const ConsentMode*)
{
    return portico::choices<ConsentMode>({{"explicit", ConsentMode::Explicit}, {"implicit", ConsentMode::Implicit}});
}

enum class IdTokenAlgorithm : std::uint8_t
{
    RS256,
    ES256
};

constexpr auto schemaOf(const IdTokenAlgorithm*)
{
    return portico::choices<IdTokenAlgorithm>({{"RS256", IdTokenAlgorithm::RS256}, {"ES256", IdTokenAlgorithm::ES256}});
}

namespace grant
{
inline constexpr std::string_view code = "authorization_code";
inline constexpr std::string_view refresh = "refresh_token";
inline constexpr std::string_view credentials = "client_credentials";
inline constexpr std::string_view device = "urn:ietf:params:oauth:grant-type:device_code";
inline constexpr std::string_view exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
} // namespace grant

/// Lets a program of an organization manage its people (SCIM).
inline constexpr std::string_view scimScope = "scim";

/// An app that signs people in with us, or a program that signs in itself: `OAuthClient` of the interface, a row of `oauth_clients`.
struct OAuthClient : Versioned
{
    std::string clientId;
    std::string name;
    ClientType type = ClientType::Confidential;
    /// True for an app of this installation: it may represent a service, and needs no consent. Set by operators.
    bool firstParty = false;
    /// Service for which it gets tokens; without one, its tokens are valid for userinfo only.
    std::optional<std::string> serviceId;
    std::string ownerType = "organization";
    OrganizationId ownerId;
    std::vector<std::string> redirectUris;
    std::vector<std::string> postLogoutRedirectUris;
    std::optional<std::string> frontchannelLogoutUri;
    std::optional<std::string> backchannelLogoutUri;
    std::vector<std::string> grantTypes = {"authorization_code", "refresh_token"};
    std::vector<std::string> scopes = {"openid", "profile", "email"};
    ClientAuthMethod tokenEndpointAuthMethod = ClientAuthMethod::SecretBasic;
    Json jwks;
    std::optional<std::string> jwksUri;
    bool requirePkce = true;
    bool requirePar = false;
    bool dpopBoundAccessTokens = false;
    IdTokenAlgorithm idTokenSignedResponseAlg = IdTokenAlgorithm::RS256;
    std::string subjectType = "public";
    /// Address of the list with the redirect addresses of all clients that share pairwise subjects with this one.
    std::optional<std::string> sectorIdentifierUri;
    std::optional<std::string> logoUri;
    std::optional<std::string> tosUri;
    std::optional<std::string> policyUri;
    ConsentMode consent = ConsentMode::Explicit;
    /// When a directory last sent its secret as the bearer token of SCIM, to a few minutes.
    std::optional<Instant> scimUsedAt;

    bool hasGrant(std::string_view type) const;
    bool hasScope(std::string_view scope) const;
    bool isPairwise() const { return subjectType == "pairwise"; }
    /// Returns the key that signs ID tokens for this client.
    const std::string& signingKid(const KeySet& keys) const
    {
        return idTokenSignedResponseAlg == IdTokenAlgorithm::RS256 ? keys.identityKid : keys.currentKid;
    }
    /// Compares exactly; loopback addresses may have any port (RFC 8252, 7.3).
    bool isRedirect(std::string_view uri) const;
};

constexpr auto schemaOf(const OAuthClient*)
{
    return describe(
        field<&OAuthClient::clientId>("client_id").readOnly(), named(field<&OAuthClient::name>().required().trimmed().maxLength(120)),
        field<&OAuthClient::type>(), field<&OAuthClient::firstParty>("first_party"),
        field<&OAuthClient::serviceId>("service_id").maxLength(40), field<&OAuthClient::ownerType>("owner_type").readOnly(),
        field<&OAuthClient::ownerId>("owner_id").readOnly(), field<&OAuthClient::redirectUris>("redirect_uris").maxItems(50),
        field<&OAuthClient::postLogoutRedirectUris>("post_logout_redirect_uris").maxItems(50),
        field<&OAuthClient::frontchannelLogoutUri>("frontchannel_logout_uri").uri(),
        field<&OAuthClient::backchannelLogoutUri>("backchannel_logout_uri").uri(),
        field<&OAuthClient::grantTypes>("grant_types").maxItems(10), field<&OAuthClient::scopes>().maxItems(50),
        field<&OAuthClient::tokenEndpointAuthMethod>("token_endpoint_auth_method"), field<&OAuthClient::jwks>(),
        field<&OAuthClient::jwksUri>("jwks_uri").uri(), field<&OAuthClient::requirePkce>("require_pkce"),
        field<&OAuthClient::requirePar>("require_par"), field<&OAuthClient::dpopBoundAccessTokens>("dpop_bound_access_tokens"),
        field<&OAuthClient::idTokenSignedResponseAlg>("id_token_signed_response_alg"), field<&OAuthClient::subjectType>("subject_type"),
        field<&OAuthClient::sectorIdentifierUri>("sector_identifier_uri").uri(), field<&OAuthClient::logoUri>("logo_uri").uri(),
        field<&OAuthClient::tosUri>("tos_uri").uri(), field<&OAuthClient::policyUri>("policy_uri").uri(), field<&OAuthClient::consent>(),
        field<&OAuthClient::scimUsedAt>("scim_used_at").readOnly(), versioned<OAuthClient>());
}

inline constexpr Table oauthClientTable{
    "oauth_clients", {.tenant = "owner_organization_id", .where = "deleted_at IS NULL"}, &OAuthClient::clientId};

/// Rows of clients, and of their secrets, of which only hashes are kept.
namespace oauth_clients
{
std::optional<OAuthClient> find(Session& session, std::string_view clientId);
/// Returns the native apps that represent a service.
std::vector<OAuthClient> nativeOf(Session& session, std::string_view serviceId);
/// Checks a registration without other records. @throws Problem 400 `validation_failed`
void check(const OAuthClient& client);

/// @throws Problem 403 like `organizations::requireOpenWorkspace`
OAuthClient create(Transaction& transaction, const OAuthClient& client, const Stamp& stamp);
/// Removes a client with its secrets and consents. Call it in a change that concerns all callers.
/// @param by log of the caller who removes it @return the sign-ins that ended
std::vector<std::string> remove(Transaction& transaction, const OAuthClient& client, std::string_view reason, Instant now,
                                const AuditLog& by);
/// The same for all clients of an organization.
std::vector<std::string> removeOf(Transaction& transaction, const OrganizationId& owner, std::string_view reason, Instant now,
                                  const AuditLog& by);

/// The secret of a new row; older ones count until `overlapEnd`.
std::string addSecret(Transaction& transaction, std::string_view clientId, Instant now, Instant overlapEnd);
bool isSecret(Session& session, std::string_view clientId, std::string_view secret, Instant now);
/// Client of a secret, and the secret's expiry (empty: none).
struct SecretHolder
{
    OAuthClient client;
    std::optional<Instant> until;
};
std::optional<SecretHolder> findBySecret(Session& session, std::string_view secret, Instant now);
/// When the first of its secrets stops being one; nothing: none has an end.
std::optional<Instant> firstSecretEnd(Session& session, std::string_view clientId, Instant now);
} // namespace oauth_clients

/// Words of a scope, each once, in their order.
std::vector<std::string> scopeWords(std::string_view scope);
std::string joinScope(const std::vector<std::string>& words);
bool hasWord(std::string_view scope, std::string_view word);

} // namespace portico::identity
