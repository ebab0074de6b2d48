#pragma once

#include "clients/OAuthClient.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Metadata that a client registers (RFC 7591, 2; OpenID Connect Dynamic Client Registration, 2). Unknown members are ignored.
struct ClientMetadata
{
    std::string clientId;
    std::string clientName;
    std::string applicationType = "web";
    std::vector<std::string> redirectUris;
    std::vector<std::string> postLogoutRedirectUris;
    std::optional<std::string> frontchannelLogoutUri;
    std::optional<std::string> backchannelLogoutUri;
    std::vector<std::string> grantTypes = {"authorization_code"};
    std::vector<std::string> responseTypes = {"code"};
    std::string scope = "openid profile email";
    std::string tokenEndpointAuthMethod = "client_secret_basic";
    Json jwks;
    std::optional<std::string> jwksUri;
    bool requirePushedAuthorizationRequests = false;
    bool dpopBoundAccessTokens = false;
    std::string idTokenSignedResponseAlg = "RS256";
    std::string subjectType = "public";
    std::optional<std::string> sectorIdentifierUri;
    std::optional<std::string> logoUri;
    std::optional<std::string> tosUri;
    std::optional<std::string> policyUri;

    /// @throws OAuthError `invalid_client_metadata` for a body that is none
    static ClientMetadata parse(std::string_view body);
    static ClientMetadata of(const OAuthClient& client);
    /// Returns the client with its metadata replaced. @throws OAuthError `invalid_redirect_uri`, `invalid_client_metadata`
    OAuthClient applyTo(OAuthClient client) const;
};

constexpr auto schemaOf(const ClientMetadata*)
{
    using M = ClientMetadata;
    return describe(field<&M::clientId>("client_id"), field<&M::clientName>("client_name"), field<&M::applicationType>("application_type"),
                    field<&M::redirectUris>("redirect_uris"), field<&M::postLogoutRedirectUris>("post_logout_redirect_uris"),
                    field<&M::frontchannelLogoutUri>("frontchannel_logout_uri").omitEmpty(),
                    field<&M::backchannelLogoutUri>("backchannel_logout_uri").omitEmpty(), field<&M::grantTypes>("grant_types"),
                    field<&M::responseTypes>("response_types"), field<&M::scope>(),
                    field<&M::tokenEndpointAuthMethod>("token_endpoint_auth_method"), field<&M::jwks>().omitEmpty(),
                    field<&M::jwksUri>("jwks_uri").omitEmpty(),
                    field<&M::requirePushedAuthorizationRequests>("require_pushed_authorization_requests"),
                    field<&M::dpopBoundAccessTokens>("dpop_bound_access_tokens"),
                    field<&M::idTokenSignedResponseAlg>("id_token_signed_response_alg"), field<&M::subjectType>("subject_type"),
                    field<&M::sectorIdentifierUri>("sector_identifier_uri").omitEmpty(), field<&M::logoUri>("logo_uri").omitEmpty(),
                    field<&M::tosUri>("tos_uri").omitEmpty(), field<&M::policyUri>("policy_uri").omitEmpty());
}

} // namespace portico::identity
