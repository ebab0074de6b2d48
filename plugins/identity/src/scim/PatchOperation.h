#pragma once

#include "scim/Patch.h"

namespace portico::identity::scim
{

/// Applies one operation of a PATCH to a resource. What it throws leaves a resource that is thrown away.
/// @throws Problem as `applyPatch`
void applyOperation(boost::json::object& resource, const boost::json::object& operation, const ResourceKind& kind, PatchBudget& budget);

} // namespace portico::identity::scim
