#pragma once

#include "portico/Plugin.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// A household of the caller.
struct OwnHousehold
{
    std::string id;
    std::string name;
    /// `manager`, `adult`, `child` or `viewer`.
    std::string myRole;
};

constexpr auto schemaOf(const OwnHousehold*) { return describe(members<&OwnHousehold::id, &OwnHousehold::name, &OwnHousehold::myRole>()); }

/// The context that a caller works in, as identity describes it.
struct ActiveContext
{
    /// `organization` or `personal`.
    std::string kind;
    std::optional<std::string> organizationId;
    std::optional<std::string> organizationName;
    std::string role;
    std::optional<std::string> selectedHouseholdId;
    std::optional<OwnHousehold> selectedHousehold;
    /// The only value that is passed to the shared launcher: `kind`.
    std::string launcherContext;
};

constexpr auto schemaOf(const ActiveContext*)
{
    return describe(members<&ActiveContext::kind, &ActiveContext::organizationId, &ActiveContext::organizationName, &ActiveContext::role,
                            &ActiveContext::selectedHouseholdId, &ActiveContext::selectedHousehold, &ActiveContext::launcherContext>());
}

/// Returns the context of a caller. Reads the household from identity's directory; without identity only its ID is set.
ActiveContext contextOf(PluginContext& context, const Caller& caller);

} // namespace portico::launchpad
