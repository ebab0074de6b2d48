#include "keys/KeyRules.h"

#include "common/Networks.h"
#include "common/Problems.h"

#include "portico/Id.h"
#include "portico/Problem.h"

#include <algorithm>
#include <set>

namespace portico::identity::key_rules
{

namespace
{

std::string place(std::size_t grant, std::string_view list, std::size_t index)
{
    return "grants[" + std::to_string(grant) + "]." + std::string(list) + '[' + std::to_string(index) + ']';
}

[[noreturn]] void refuse(std::string_view code, std::string field, std::string_view message)
{
    throw Problem::badRequest(code, message).with({std::move(field), std::string(code), std::string(message)});
}

/// Patterns of manifests are a literal prefix and a ULID: `^pip_[0-9a-z]{26}$`.
bool fits(const BindableType& type, std::string_view id)
{
    std::string_view prefix = type.idPattern;
    if (prefix.starts_with('^')) prefix.remove_prefix(1);
    prefix = prefix.substr(0, prefix.find_first_of("[(.\\$"));
    return id.starts_with(prefix) && isUlid(id.substr(prefix.size()));
}

/// A type that none of the grant's scopes can be bound to would narrow nothing.
bool isBindable(const CatalogService& service, const Grant& grant, std::string_view type)
{
    return std::ranges::any_of(grant.scopes,
                               [&](const std::string& name)
                               {
                                   const auto* scope = service.scope(name);
                                   return scope && std::ranges::find(scope->bindable, type) != scope->bindable.end();
                               });
}

void checkResources(const CatalogService& service, const Grant& grant, std::size_t index)
{
    for (std::size_t i = 0; i < grant.resources.size(); ++i)
    {
        const auto& resource = grant.resources[i];
        const auto type = std::ranges::find(service.bindableTypes, resource.type, &BindableType::type);
        if (type == service.bindableTypes.end() || !isBindable(service, grant, resource.type))
            refuse("unknown_resource_type", place(index, "resources", i), "No scope of this grant can be bound to that type.");
        if (!fits(*type, resource.id)) refuse("resource_not_found", place(index, "resources", i), "There is no such resource.");
    }
}

bool covers(const Grant& wide, const Grant& narrow)
{
    const auto isHeld = [&](const std::string& scope) { return std::ranges::find(wide.scopes, scope) != wide.scopes.end(); };
    if (!std::ranges::all_of(narrow.scopes, isHeld)) return false;
    if (wide.resources.empty()) return true;
    const auto isReached = [&](const BoundResource& resource)
    { return std::ranges::find(wide.resources, resource) != wide.resources.end(); };
    return !narrow.resources.empty() && std::ranges::all_of(narrow.resources, isReached) &&
           // A type that is no longer named would be reached without bounds.
           std::ranges::all_of(wide.resources, [&](const BoundResource& bound)
                               { return std::ranges::find(narrow.resources, bound.type, &BoundResource::type) != narrow.resources.end(); });
}

} // namespace

void checkGrants(const Catalog& catalog, const std::vector<Grant>& grants)
{
    std::set<std::string_view> named;
    for (std::size_t i = 0; i < grants.size(); ++i)
    {
        const auto& grant = grants[i];
        if (!named.insert(grant.serviceId).second)
            throw Problem::invalid("grants[" + std::to_string(i) + "].service_id", "duplicate", "Each service is named once.");
        const auto* service = catalog.find(grant.serviceId);
        for (std::size_t k = 0; k < grant.scopes.size(); ++k)
            if (!service || !service->active() || !service->scope(grant.scopes[k]))
                refuse("unknown_scope", place(i, "scopes", k), "The service has no such scope.");
        checkResources(*service, grant, i);
    }
}

void checkDetails(const std::vector<std::string>& ipAllowList, const Json& metadata)
{
    constexpr std::size_t longestMetadata = 4096;
    for (std::size_t i = 0; i < ipAllowList.size(); ++i)
        if (!Network::parse(ipAllowList[i]))
            throw Problem::invalid("ipAllowList[" + std::to_string(i) + ']', "invalid_network",
                                   "An address, or a network as 198.51.100.0/24.");
    if (!metadata.text.starts_with('{')) throw Problem::invalid("metadata", "invalid_type", "Expected an object.");
    if (metadata.text.size() > longestMetadata) throw Problem::invalid("metadata", "too_long", "At most 4096 bytes.");
}

std::vector<Grant> liveGrants(const Catalog& catalog, std::vector<Grant> grants)
{
    for (auto& grant : grants)
    {
        const auto* service = catalog.find(grant.serviceId);
        std::erase_if(grant.scopes, [&](const std::string& name) { return !service || !service->scope(name); });
    }
    std::erase_if(grants, [](const Grant& grant) { return grant.scopes.empty(); });
    return grants;
}

void requireUsable(const ApiKey& key, Instant now)
{
    switch (key.statusAt(now))
    {
    case KeyStatus::Active:
    case KeyStatus::Rotating:
        return;
    case KeyStatus::Disabled:
        throw invalidToken("key_disabled");
    case KeyStatus::Expired:
        throw invalidToken("key_expired");
    case KeyStatus::Blocked:
        throw invalidToken("workspace_suspended");
    case KeyStatus::Revoked:
        break;
    }
    throw invalidToken("key_revoked");
}

bool isHighRisk(const Catalog& catalog, const std::vector<Grant>& grants)
{
    return std::ranges::any_of(grants,
                               [&](const Grant& grant)
                               {
                                   const auto* service = catalog.find(grant.serviceId);
                                   const auto isHigh = [&](const std::string& name)
                                   {
                                       const auto* scope = service->scope(name);
                                       return scope && service->risk(*scope) == Risk::High;
                                   };
                                   return service && std::ranges::any_of(grant.scopes, isHigh);
                               });
}

bool isNarrower(const std::vector<Grant>& narrow, const std::vector<Grant>& wide)
{
    return std::ranges::all_of(narrow,
                               [&](const Grant& grant)
                               {
                                   const auto found = std::ranges::find(wide, grant.serviceId, &Grant::serviceId);
                                   return found != wide.end() && covers(*found, grant);
                               });
}

bool isSlower(const KeyRateLimit& slow, const KeyRateLimit& fast) noexcept
{
    return slow.limit <= fast.limit && slow.limit * fast.windowSeconds <= fast.limit * slow.windowSeconds;
}

} // namespace portico::identity::key_rules
