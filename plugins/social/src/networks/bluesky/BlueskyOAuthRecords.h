#pragma once

#include "portico/Json.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::social::bluesky
{

// Documents and answers of OAuth (RFC 9728, 8414, 9126, 6749) from a personal data server.

struct OAuthError
{
    std::string error;
    std::string description;
};

constexpr auto schemaOf(const OAuthError*)
{
    return describe(field<&OAuthError::error>(), field<&OAuthError::description>("error_description"));
}

struct ProtectedResource
{
    std::vector<std::string> authorizationServers;
};

constexpr auto schemaOf(const ProtectedResource*)
{
    return describe(field<&ProtectedResource::authorizationServers>("authorization_servers"));
}

struct AuthorizationServer
{
    std::string issuer;
    std::string authorizationEndpoint;
    std::string tokenEndpoint;
    std::string pushEndpoint;
    std::string revocationEndpoint;
};

constexpr auto schemaOf(const AuthorizationServer*)
{
    return describe(field<&AuthorizationServer::issuer>(), field<&AuthorizationServer::authorizationEndpoint>("authorization_endpoint"),
                    field<&AuthorizationServer::tokenEndpoint>("token_endpoint"),
                    field<&AuthorizationServer::pushEndpoint>("pushed_authorization_request_endpoint"),
                    field<&AuthorizationServer::revocationEndpoint>("revocation_endpoint"));
}

struct PushedRequest
{
    std::string requestUri;
};

constexpr auto schemaOf(const PushedRequest*) { return describe(field<&PushedRequest::requestUri>("request_uri")); }

struct TokenAnswer
{
    std::string accessToken;
    std::string tokenType;
    std::string refreshToken;
    std::string scope;
    /// The DID of the account.
    std::string sub;
    std::int64_t expiresIn = 0;
};

constexpr auto schemaOf(const TokenAnswer*)
{
    return describe(field<&TokenAnswer::accessToken>("access_token"), field<&TokenAnswer::tokenType>("token_type"),
                    field<&TokenAnswer::refreshToken>("refresh_token"), members<&TokenAnswer::scope, &TokenAnswer::sub>(),
                    field<&TokenAnswer::expiresIn>("expires_in"));
}

/// State of a code flow between its two halves.
struct PendingSignIn
{
    std::string issuer;
    /// The account that the user named; empty: any.
    std::string did;
    std::string verifier;
    /// Private key of the account, as PEM.
    std::string dpopKey;
};

constexpr auto schemaOf(const PendingSignIn*)
{
    return describe(members<&PendingSignIn::issuer, &PendingSignIn::did, &PendingSignIn::verifier, &PendingSignIn::dpopKey>());
}

/// Client metadata document. Its URL is the client id.
struct ClientMetadata
{
    std::string clientId;
    std::string clientName = "Portico";
    std::string clientUri;
    std::string applicationType = "web";
    std::vector<std::string> grantTypes = {"authorization_code", "refresh_token"};
    std::vector<std::string> responseTypes = {"code"};
    std::vector<std::string> redirectUris;
    std::string scope;
    std::string tokenEndpointAuthMethod = "private_key_jwt";
    std::string tokenEndpointAuthSigningAlg = "ES256";
    bool dpopBoundAccessTokens = true;
    std::string jwksUri;
};

constexpr auto schemaOf(const ClientMetadata*)
{
    return describe(field<&ClientMetadata::clientId>("client_id"), field<&ClientMetadata::clientName>("client_name"),
                    field<&ClientMetadata::clientUri>("client_uri"), field<&ClientMetadata::applicationType>("application_type"),
                    field<&ClientMetadata::grantTypes>("grant_types"), field<&ClientMetadata::responseTypes>("response_types"),
                    field<&ClientMetadata::redirectUris>("redirect_uris"), field<&ClientMetadata::scope>(),
                    field<&ClientMetadata::tokenEndpointAuthMethod>("token_endpoint_auth_method"),
                    field<&ClientMetadata::tokenEndpointAuthSigningAlg>("token_endpoint_auth_signing_alg"),
                    field<&ClientMetadata::dpopBoundAccessTokens>("dpop_bound_access_tokens"), field<&ClientMetadata::jwksUri>("jwks_uri"));
}

struct PublicKey
{
    std::string kty = "EC";
    std::string crv = "P-256";
    std::string x;
    std::string y;
    std::string kid;
    std::string use = "sig";
    std::string alg = "ES256";
};

constexpr auto schemaOf(const PublicKey*)
{
    return describe(
        members<&PublicKey::kty, &PublicKey::crv, &PublicKey::x, &PublicKey::y, &PublicKey::kid, &PublicKey::use, &PublicKey::alg>());
}

struct PublicKeys
{
    std::vector<PublicKey> keys;
};

constexpr auto schemaOf(const PublicKeys*) { return describe(field<&PublicKeys::keys>()); }

} // namespace portico::social::bluesky
