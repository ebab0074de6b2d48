#pragma once

#include "scim/Patch.h"

namespace portico::identity::scim
{

/// Applies one operation of a PATCH to a resource. If it throws, the resource must be discarded. @throws Problem like `applyPatch`
void applyOperation(boost::json::object& resource, const boost::json::object& operation, const ResourceKind& kind, PatchBudget& budget);

} // namespace portico::identity::scim
