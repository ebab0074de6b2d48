#pragma once

#include "oauth/OAuthClient.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// A client as it describes itself (RFC 7591, 2; OpenID Connect Dynamic Client Registration, 2). What else it says is passed over.
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
    /// The client with all this in place of what it was. @throws OAuthError `invalid_redirect_uri`, `invalid_client_metadata`
    OAuthClient applyTo(OAuthClient client) const;
};

constexpr auto schemaOf(const ClientMetadata*)
{
    using M = ClientMetadata;
    return describe(field("client_id", &M::clientId), field("client_name", &M::clientName), field("application_type", &M::applicationType),
                    field("redirect_uris", &M::redirectUris), field("post_logout_redirect_uris", &M::postLogoutRedirectUris),
                    field("frontchannel_logout_uri", &M::frontchannelLogoutUri).omitEmpty(),
                    field("backchannel_logout_uri", &M::backchannelLogoutUri).omitEmpty(), field("grant_types", &M::grantTypes),
                    field("response_types", &M::responseTypes), field("scope", &M::scope),
                    field("token_endpoint_auth_method", &M::tokenEndpointAuthMethod), field("jwks", &M::jwks).omitEmpty(),
                    field("jwks_uri", &M::jwksUri).omitEmpty(),
                    field("require_pushed_authorization_requests", &M::requirePushedAuthorizationRequests),
                    field("dpop_bound_access_tokens", &M::dpopBoundAccessTokens),
                    field("id_token_signed_response_alg", &M::idTokenSignedResponseAlg), field("subject_type", &M::subjectType),
                    field("sector_identifier_uri", &M::sectorIdentifierUri).omitEmpty(), field("logo_uri", &M::logoUri).omitEmpty(),
                    field("tos_uri", &M::tosUri).omitEmpty(), field("policy_uri", &M::policyUri).omitEmpty());
}

} // namespace portico::identity
