#pragma once

#include "common/Core.h"
#include "oauth/ClientMetadata.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"
#include "portico/system/Credentials.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// RFC 7591, 3.2.1.
struct RegisteredClient : ClientMetadata
{
    std::optional<std::string> clientSecret;
    std::int64_t clientIdIssuedAt = 0;
    std::int64_t clientSecretExpiresAt = 0;
    std::string registrationAccessToken;
    std::string registrationClientUri;
};

constexpr auto schemaOf(const RegisteredClient*)
{
    return describe(schemaOf(static_cast<const ClientMetadata*>(nullptr)),
                    portico::field<&RegisteredClient::clientSecret>("client_secret").omitEmpty(),
                    portico::field<&RegisteredClient::clientIdIssuedAt>("client_id_issued_at"),
                    portico::field<&RegisteredClient::clientSecretExpiresAt>("client_secret_expires_at"),
                    portico::field<&RegisteredClient::registrationAccessToken>("registration_access_token"),
                    portico::field<&RegisteredClient::registrationClientUri>("registration_client_uri"));
}

/// Dynamic client registration (RFC 7591) and its management (RFC 7592). The initial access token is that of a user who may manage the
/// clients of the active organization. Registration without a token requires a setting that names the organization of such clients.
/// Thread-safe.
class ClientRegistrationRoutes
{
public:
    ClientRegistrationRoutes(Core& core, interfaces::Credentials& credentials);
    void declare(Routes& routes);

    Response create(const Request& request, const RawBody& body);
    Response show(const Request& request, const Path<std::string>& clientId) const;
    Response update(const Request& request, const Path<std::string>& clientId, const RawBody& body);
    Response remove(const Request& request, const Path<std::string>& clientId);

private:
    /// Organization of a new client, and the user who registers it.
    struct Owner
    {
        OrganizationId organization;
        std::string userId;
    };
    Owner requireOwner(const Request& request) const;
    Owner ownerByToken(const Request& request, std::string_view token) const;
    /// Returns the client of the request's registration token. @throws OAuthError 401 `invalid_token`, also for an unknown client
    OAuthClient requireRegistered(const Request& request, const std::string& clientId) const;
    RegisteredClient describeClient(const OAuthClient& client, std::string token) const;

    Core& _core;
    interfaces::Credentials& _credentials;
    RateLimit _perNetwork;
};

} // namespace portico::identity
