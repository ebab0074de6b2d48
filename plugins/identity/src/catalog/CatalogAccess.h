#pragma once

#include "catalog/Catalog.h"

#include "portico/Caller.h"

#include <string>

namespace portico::identity
{

/// Who sees and changes what of the registry.
namespace catalog_access
{
/// Services that are not open, too: who reads the registry's details.
bool seesAll(const Caller& caller);
/// @throws Problem 404 for a service that is not there, or not open to the caller's eyes: one's own always is
const CatalogService& require(const Catalog& catalog, const std::string& serviceId, const Caller& caller);
/// A key needs its owner's `identity.catalog:read` beside its scope. @throws Problem 403 `permission_denied`
void requireKeyMayRead(const Caller& caller);
} // namespace catalog_access

} // namespace portico::identity
