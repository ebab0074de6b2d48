#pragma once

#include "actions/ActionQueue.h"

#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Makes the waiting actions of some kinds equal to their causes: opens missing ones, and closes those without a cause.
/// @param kinds for which `wanted` is complete
/// @param assigneeId only actions assigned to this person are closed
/// @param why detail in the history of the closed actions
void reconcile(PluginContext& context, const ActionQueue& queue, Tenant tenant, const std::vector<ActionKind>& kinds,
               std::string_view assigneeId, std::vector<Action> wanted, std::string_view why);

} // namespace portico::launchpad
