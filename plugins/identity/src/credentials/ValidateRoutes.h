#pragma once

#include "catalog/CatalogStore.h"
#include "sessions/TokenResponse.h"

#include "portico/Routes.h"
#include "portico/interfaces/Credentials.h"

#include <map>

namespace portico::identity
{

struct ValidatedPrincipal
{
    std::string id;
    std::string principalType;
    std::string displayName;
    std::string email;
};

struct ValidatedSession
{
    std::string id;
    std::string acr;
    Instant authTime{};
};

struct ValidatedKey
{
    std::string id;
    std::string keyId;
    std::string name;
    std::string ownerType;
    std::string ownerId;
    std::vector<std::string> scopes;
};

/// What a backend is told about the credential that it was sent.
struct ValidateResult
{
    bool valid = true;
    std::string credential;
    std::string serviceId;
    ValidatedPrincipal principal;
    std::optional<ValidatedSession> session;
    ActiveContext activeContext;
    std::string role;
    std::optional<std::string> platformRole;
    bool platformBypass = false;
    std::vector<std::string> effectivePermissions;
    std::optional<std::string> scope;
    std::optional<ValidatedKey> apiKey;
    std::optional<std::map<std::string, std::vector<std::string>>> boundResources;
    std::optional<Instant> expiresAt;
    std::int64_t revision = 0;
    std::string requestId;
};

/// Validation for services that run elsewhere; plugins are answered through `portico.credentials` without a request of their own.
class ValidateRoutes
{
public:
    ValidateRoutes(interfaces::Credentials& credentials, CatalogStore& catalog) : _credentials(credentials), _catalog(catalog) {}
    void declare(Routes& routes);
    ValidateResult validate(const Caller& caller, const Request& request) const;

private:
    void requireComplete(const std::string& serviceId) const;
    void requirePermission(const Caller& caller, std::string_view permission) const;

    interfaces::Credentials& _credentials;
    CatalogStore& _catalog;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::ValidatedPrincipal>
{
    using T = portico::identity::ValidatedPrincipal;
    static constexpr auto fields = describe(field("id", &T::id), field("principalType", &T::principalType),
                                            field("displayName", &T::displayName), field("email", &T::email));
};

template <>
struct portico::Schema<portico::identity::ValidatedSession>
{
    using T = portico::identity::ValidatedSession;
    static constexpr auto fields = describe(field("id", &T::id), field("acr", &T::acr), field("authTime", &T::authTime));
};

template <>
struct portico::Schema<portico::identity::ValidatedKey>
{
    using T = portico::identity::ValidatedKey;
    static constexpr auto fields =
        describe(field("id", &T::id), field("keyId", &T::keyId), field("name", &T::name), field("owner_type", &T::ownerType),
                 field("owner_id", &T::ownerId), field("scopes", &T::scopes));
};

template <>
struct portico::Schema<portico::identity::ValidateResult>
{
    using T = portico::identity::ValidateResult;
    static constexpr auto fields =
        describe(field("valid", &T::valid), field("credential", &T::credential), field("service_id", &T::serviceId),
                 field("principal", &T::principal), field("session", &T::session), field("activeContext", &T::activeContext),
                 field("role", &T::role), field("platformRole", &T::platformRole), field("platformBypass", &T::platformBypass),
                 field("effectivePermissions", &T::effectivePermissions), field("scope", &T::scope), field("apiKey", &T::apiKey),
                 field("boundResources", &T::boundResources), field("expiresAt", &T::expiresAt), field("revision", &T::revision),
                 field("requestId", &T::requestId));
};
