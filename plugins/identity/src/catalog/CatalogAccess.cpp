#include "catalog/CatalogAccess.h"

#include "portico/Problem.h"

namespace portico::identity::catalog_access
{

bool seesAll(const Caller& caller) { return caller.may("identity.services:read"); }

const CatalogService& require(const Catalog& catalog, const std::string& serviceId, const Caller& caller)
{
    const auto* service = catalog.find(serviceId);
    if (!service || (!service->active() && !seesAll(caller) && caller.ownServiceId != serviceId))
        throw Problem::notFound("There is no such service.");
    return *service;
}

void requireKeyMayRead(const Caller& caller)
{
    if (caller.credential == CredentialKind::ApiKey && !caller.may("identity.catalog:read"))
        throw Problem::forbidden("permission_denied", "The permission is needed.");
}

} // namespace portico::identity::catalog_access
