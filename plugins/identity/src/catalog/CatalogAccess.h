#pragma once

#include "catalog/Catalog.h"

#include "portico/Caller.h"

#include <string>

namespace portico::identity
{

/// Access rules of the registry.
namespace catalog_access
{
/// Returns true for callers who also see inactive services: those who may read the registry's details.
bool seesAll(const Caller& caller);
/// @throws Problem 404 for an unknown service, or one that is not visible to the caller; the caller's service always is
const CatalogService& require(const Catalog& catalog, const std::string& serviceId, const Caller& caller);
/// An API key needs its owner's `identity.catalog:read` beside its scope. @throws Problem 403 `permission_denied`
void requireKeyMayRead(const Caller& caller);
} // namespace catalog_access

} // namespace portico::identity
