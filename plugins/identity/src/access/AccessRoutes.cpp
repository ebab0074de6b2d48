#include "access/AccessRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogAccess.h"
#include "catalog/CatalogStore.h"
#include "permissions/Actor.h"

namespace portico::identity
{

namespace
{

/// The part of `commerce` that decides whether an organization needs a plan.
struct Pricing
{
    std::string pricing = "included";
};

constexpr auto schemaOf(const Pricing*) { return describe(field<&Pricing::pricing>()); }

/// @throws Problem 402 `plan_required` when a service that costs something is opened without a plan
void requirePlan(Session& session, const std::string& serviceId, const ServiceAccess& access)
{
    if (access.status != "active" || access.plan) return;
    const auto manifest = fromStoredJson<ServiceManifest>(CatalogStore::row(session, serviceId).value().manifest);
    if (manifest.commerce.text != "null" && fromStoredJson<Pricing>(manifest.commerce.text).pricing == "paid")
        throw Problem(402, "plan_required", "This service is part of a plan: name it.");
}

ServiceAccessView accessView(const ServiceAccess& access, const Catalog& catalog)
{
    const auto* service = catalog.find(access.serviceId);
    return {access.serviceId, service ? service->name : access.serviceId, access.status, access.plan, access.createdAt, access.updatedAt,
            access.version};
}

/// Rejects identity: without access to it, no member of the organization could do anything.
void requireOther(const std::string& serviceId)
{
    if (serviceId == identityServiceId) throw Problem::conflict("conflict", "Organizations cannot lose access to identity.");
}

} // namespace

void AccessRoutes::declare(Routes& routes)
{
    const std::string_view one = "/api/organizations/{id}/service-access/{service_id}";
    routes
        .get("/api/organizations/{id}/service-access", access::bearer("organizations:manage"), &AccessRoutes::list, this,
             {.summary = "List the service access of an organization"})
        .put(one, access::bearer().forOperators(), &AccessRoutes::put, this,
             {.summary = "Grant or suspend an organization's access to a service", .problems = {"402 plan_required"}})
        .del(one, access::bearer().forOperators(), &AccessRoutes::remove, this,
             {.summary = "Remove an organization's access to a service"});
}

Page<ServiceAccessView> AccessRoutes::list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    Actor(session, caller, _core.clock.now()).requireOrganization(*id);
    if (!organizations::find(session, *id)) throw Problem::notFound();
    auto rows = serviceAccessTable.select(*id).orderBy(&ServiceAccess::serviceId).page(session, paging);
    Page<ServiceAccessView> page{.nextCursor = rows.nextCursor, .total = rows.total};
    for (const auto& row : rows.items) page.items.push_back(accessView(row, *catalog));
    return page;
}

ServiceAccessView AccessRoutes::put(const Request& request, const Path<OrganizationId>& id, const Path<std::string>& serviceId,
                                    const Body<AccessInput>& input, const IfMatch& match)
{
    const auto catalog = _core.catalog.snapshot();
    if (!catalog->find(*serviceId)) throw Problem::notFound("There is no such service.");
    if (input->status != AccessStatus::Active) requireOther(*serviceId);
    const auto now = _core.clock.now();
    return _core.changes.run({*id},
                             [&](Transaction& transaction)
                             {
                                 if (!organizations::find(transaction, *id)) throw Problem::notFound();
                                 auto known = serviceAccessTable.findForUpdate(transaction, *id, *serviceId);
                                 const auto fill = [&](ServiceAccess& access)
                                 {
                                     access.serviceId = *serviceId;
                                     access.status = toString(input->status);
                                     if (input.has("plan")) access.plan = input->plan;
                                     requirePlan(transaction, *serviceId, access);
                                 };
                                 const Stamp stamp{now, {}};
                                 if (known)
                                     known = serviceAccessTable.change(transaction, *id, *serviceId, match, stamp, fill);
                                 else
                                 {
                                     match.require(0);
                                     ServiceAccess access;
                                     fill(access);
                                     access.createdAt = now;
                                     known = serviceAccessTable.create(transaction, *id, std::move(access), stamp);
                                 }
                                 AuditLog::of(request, now, *id).record(transaction, "service_access.changed", *serviceId, *known);
                                 return accessView(*known, *catalog);
                             });
}

NoContent AccessRoutes::remove(const Request& request, const Path<OrganizationId>& id, const Path<std::string>& serviceId,
                               const IfMatch& match)
{
    requireOther(*serviceId);
    _core.changes.run({*id},
                      [&](Transaction& transaction)
                      {
                          serviceAccessTable.remove(transaction, *id, *serviceId, match);
                          AuditLog::of(request, _core.clock.now(), *id).record(transaction, "service_access.removed", *serviceId);
                      });
    return {};
}

} // namespace portico::identity
