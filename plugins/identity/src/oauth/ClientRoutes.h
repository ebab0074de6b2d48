#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"

#include "portico/Routes.h"

#include <functional>
#include <optional>
#include <string>

namespace portico::identity
{

/// A new client with its secret, which is shown only once.
struct NewClient : OAuthClient
{
    std::optional<std::string> clientSecret;
};

constexpr auto schemaOf(const NewClient*)
{
    return describe(schemaOf(static_cast<const OAuthClient*>(nullptr)),
                    portico::field<&NewClient::clientSecret>("client_secret").omitEmpty())
        .named("NewOAuthClient");
}

struct RotatedSecret
{
    std::string clientId;
    std::string clientSecret;
    /// Time until which the previous secret is valid.
    Instant overlapEndsAt{};
};

constexpr auto schemaOf(const RotatedSecret*)
{
    return describe(field<&RotatedSecret::clientId>("client_id"), field<&RotatedSecret::clientSecret>("client_secret"),
                    field<&RotatedSecret::overlapEndsAt>());
}

/// Consent of a user to an app.
struct Consent
{
    std::string clientId;
    std::string name;
    std::optional<std::string> logoUri;
    std::vector<std::string> scopes;
    Instant createdAt{};
    Instant updatedAt{};
};

constexpr auto schemaOf(const Consent*)
{
    return describe(field<&Consent::clientId>("client_id"), field<&Consent::name>(), field<&Consent::logoUri>("logo_uri"),
                    members<&Consent::scopes, &Consent::createdAt, &Consent::updatedAt>());
}

/// The OAuth clients of an organization, and what people have allowed clients to see. Thread-safe.
class ClientRoutes
{
public:
    explicit ClientRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<OAuthClient> list(const Caller& caller, const Paging& paging) const;
    Created<NewClient> create(const Caller& caller, const Request& request, const Body<OAuthClient>& input);
    OAuthClient show(const Caller& caller, const Path<std::string>& id) const;
    OAuthClient update(const Caller& caller, const Request& request, const Path<std::string>& id, const Body<Patch<OAuthClient>>& patch,
                       const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<std::string>& id, const IfMatch& match);
    RotatedSecret rotate(const Caller& caller, const Request& request, const Path<std::string>& id);

    Page<Consent> consents(const Caller& caller, const Paging& paging) const;
    NoContent withdraw(const Caller& caller, const Request& request, const Path<std::string>& id);

private:
    /// Reserves for operators: first-party clients, clients of a service, and clients without PKCE.
    /// @param before the client before the change; for a new one a default client.
    /// @throws Problem 403
    void requireMay(Transaction& transaction, const Caller& caller, const OAuthClient& client, const OAuthClient& before) const;

    Core& _core;
};

} // namespace portico::identity
