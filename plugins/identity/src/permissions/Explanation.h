#pragma once

#include "permissions/PersonAccess.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// One check: `service`, `context`, `membership`, `service_access`, `role_bundle`, `user_override`, `platform_bypass`.
struct ChainLink
{
    std::string source;
    /// Result: `allow`, `deny` or `none`.
    std::string effect;
    std::string detail;
};

constexpr auto schemaOf(const ChainLink*) { return describe(members<&ChainLink::source, &ChainLink::effect, &ChainLink::detail>()); }

/// Change that would grant a permission. Changes of one step are alternatives, the smallest first; one of every step is needed.
struct SuggestedChange
{
    /// Type: `enable_service`, `remove_override`, `add_override`, `raise_role`, `activate_membership`, `activate_service`,
    /// `switch_context`.
    std::string type;
    std::int64_t step = 1;
    /// Role to grant, or context to switch to.
    std::optional<std::string> to = {};
    std::optional<OverrideId> overrideId = {};
    std::optional<std::string> serviceId = {};
    std::optional<std::string> permission = {};
};

constexpr auto schemaOf(const SuggestedChange*)
{
    return describe(members<&SuggestedChange::type, &SuggestedChange::step>(), field<&SuggestedChange::to>().omitEmpty(),
                    field<&SuggestedChange::overrideId>().omitEmpty(), field<&SuggestedChange::serviceId>("service_id").omitEmpty(),
                    field<&SuggestedChange::permission>().omitEmpty());
}

struct PermissionExplanation
{
    std::string permission;
    bool allowed = false;
    std::string decidedBy;
    std::vector<ChainLink> chain;
    std::vector<SuggestedChange> smallestChange;
};

constexpr auto schemaOf(const PermissionExplanation*)
{
    return describe(members<&PermissionExplanation::permission, &PermissionExplanation::allowed, &PermissionExplanation::decidedBy,
                            &PermissionExplanation::chain, &PermissionExplanation::smallestChange>());
}

/// @param permission in the service's catalog
PermissionExplanation explain(const CatalogService& service, const PersonAccess& person, const std::string& permission, Instant now);

} // namespace portico::identity
