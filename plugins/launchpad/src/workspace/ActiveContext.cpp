#include "workspace/ActiveContext.h"

#include "portico/interfaces/Directory.h"

#include <algorithm>

namespace portico::launchpad
{

ActiveContext contextOf(PluginContext& context, const Caller& caller)
{
    ActiveContext active;
    active.role = caller.role;
    if (!caller.organizationId.empty())
    {
        active.kind = active.launcherContext = "organization";
        active.organizationId = caller.organizationId;
        active.organizationName = caller.organizationName;
        return active;
    }
    active.kind = active.launcherContext = "personal";
    if (caller.householdId.empty()) return active;
    active.selectedHouseholdId = caller.householdId;
    const auto directory = context.services().find<interfaces::Directory>();
    if (!directory) return active;
    const auto mine = directory->householdsOf(caller.principalId);
    const auto selected = std::ranges::find(mine, caller.householdId, &interfaces::DirectoryHousehold::id);
    if (selected != mine.end()) active.selectedHousehold = OwnHousehold{selected->id, selected->name, selected->role};
    return active;
}

} // namespace portico::launchpad
