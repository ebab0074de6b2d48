#include "portico/Caller.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico
{

Tenant Caller::tenant() const
{
    if (organizationId.empty()) throw Problem::forbidden("service_access_denied", "This service works in the context of an organization.");
    return Tenant::fromStored(organizationId);
}

Tenant Caller::tenantOrSelf() const { return Tenant::fromStored(organizationId.empty() ? principalId : organizationId); }

UserId Caller::userId() const
{
    auto user = UserId::parse(principalId);
    if (!user) throw Problem::forbidden("permission_denied", "Only users can do this.");
    return *std::move(user);
}

bool Caller::may(std::string_view permission) const noexcept
{
    return std::binary_search(permissions.begin(), permissions.end(), permission, std::less<>());
}

bool Caller::hasScope(std::string_view scope_) const noexcept
{
    return std::binary_search(scopes.begin(), scopes.end(), scope_, std::less<>());
}

bool Caller::reaches(std::string_view resourceType, std::string_view resourceId) const noexcept
{
    for (const auto& [type, ids] : boundResources)
        if (type == resourceType) return std::find(ids.begin(), ids.end(), resourceId) != ids.end();
    return true;
}

std::shared_ptr<const Caller> Caller::share(Caller caller) { return std::make_shared<const Caller>(std::move(caller)); }

const Caller& Caller::nobody() noexcept
{
    static const Caller anonymousCaller;
    return anonymousCaller;
}

} // namespace portico
