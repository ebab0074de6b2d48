#pragma once

#include "catalog/CatalogStore.h"
#include "signin/TokenIssuer.h"

#include "portico/Routes.h"
#include "portico/system/Credentials.h"

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

constexpr auto schemaOf(const ValidatedPrincipal*)
{
    return describe(members<&ValidatedPrincipal::id, &ValidatedPrincipal::principalType, &ValidatedPrincipal::displayName,
                            &ValidatedPrincipal::email>());
}

struct ValidatedSession
{
    std::string id;
    std::string acr;
    Instant authTime{};
};

constexpr auto schemaOf(const ValidatedSession*)
{
    return describe(members<&ValidatedSession::id, &ValidatedSession::acr, &ValidatedSession::authTime>());
}

struct ValidatedKey
{
    std::string id;
    std::string keyId;
    std::string name;
    std::string ownerType;
    std::string ownerId;
    std::vector<std::string> scopes;
};

constexpr auto schemaOf(const ValidatedKey*)
{
    return describe(members<&ValidatedKey::id, &ValidatedKey::keyId, &ValidatedKey::name>(), field<&ValidatedKey::ownerType>("owner_type"),
                    field<&ValidatedKey::ownerId>("owner_id"), field<&ValidatedKey::scopes>());
}

/// Answer to a backend about a received credential.
struct ValidateResult
{
    bool valid = true;
    std::string credential;
    std::string serviceId;
    ValidatedPrincipal principal;
    std::optional<ValidatedSession> session;
    /// The operator who acts as the principal; without one there is no such member.
    std::optional<ActingParty> act;
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

constexpr auto schemaOf(const ValidateResult*)
{
    return describe(
        members<&ValidateResult::valid, &ValidateResult::credential>(), field<&ValidateResult::serviceId>("service_id"),
        members<&ValidateResult::principal, &ValidateResult::session>(), field<&ValidateResult::act>().omitEmpty(),
        members<&ValidateResult::activeContext, &ValidateResult::role, &ValidateResult::platformRole, &ValidateResult::platformBypass,
                &ValidateResult::effectivePermissions, &ValidateResult::scope, &ValidateResult::apiKey, &ValidateResult::boundResources,
                &ValidateResult::expiresAt, &ValidateResult::revision, &ValidateResult::requestId>());
}

/// Validates credentials for external services. Plugins use `portico.credentials` in process instead. Thread-safe.
class ValidateRoutes
{
public:
    ValidateRoutes(interfaces::Credentials& credentials, CatalogStore& catalog, Database& database)
        : _credentials(credentials), _catalog(catalog), _database(database)
    {
    }
    void declare(Routes& routes);
    using Questions = RepeatedQuery<"permission", "resource">;
    ValidateResult validate(const Caller& caller, const Request& request, const Questions& questions) const;

private:
    void requireComplete(const std::string& serviceId) const;
    void requirePermission(const Caller& caller, std::string_view permission) const;

    interfaces::Credentials& _credentials;
    CatalogStore& _catalog;
    Database& _database;
};

} // namespace portico::identity
