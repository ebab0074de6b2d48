#include "interfaces/InProcessPlans.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "permissions/PersonAccess.h"
#include "records/Organization.h"
#include "users/User.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{
constexpr std::size_t maxOrganizations = 1000;

/// Returns the services whose access differs from the plan, with their new state.
std::vector<ServiceAccess> differences(Session& session, const Catalog& catalog, const OrganizationId& id,
                                       const std::vector<interfaces::PlanGrant>& grants, std::string_view plan)
{
    std::vector<ServiceAccess> changed;
    for (const auto& grant : grants)
    {
        if (grant.serviceId == identityServiceId || !catalog.find(grant.serviceId)) continue;
        auto known = serviceAccessTable.find(session, id, grant.serviceId);
        if (!known && !grant.granted) continue;
        ServiceAccess wanted = known.value_or(ServiceAccess{});
        wanted.serviceId = grant.serviceId;
        wanted.status = grant.granted ? "active" : "suspended";
        if (grant.granted && !plan.empty()) wanted.plan = plan;
        if (!known || known->status != wanted.status || known->plan != wanted.plan) changed.push_back(std::move(wanted));
    }
    return changed;
}
} // namespace

std::size_t InProcessPlans::apply(Tenant organization, const std::vector<interfaces::PlanGrant>& grants, std::string_view plan)
{
    const auto id = OrganizationId::parse(organization.text());
    if (!id) return 0;
    const auto catalog = _core.catalog.snapshot();
    {
        auto session = _core.database.snapshot();
        const auto known = organizations::find(session, *id);
        if (!known || known->status != OrganizationStatus::Active || known->kind == OrganizationKind::Admin) return 0;
        // Most calls find nothing to change, and then no request waits for them.
        if (differences(session, *catalog, *id, grants, plan).empty()) return 0;
    }
    const auto now = _core.clock.now();
    return _core.changes.run({*id},
                             [&](Transaction& transaction)
                             {
                                 organizations::lock(transaction, *id);
                                 auto changed = differences(transaction, *catalog, *id, grants, plan);
                                 for (auto& access : changed)
                                 {
                                     const Stamp stamp{now, {}};
                                     if (serviceAccessTable.exists(transaction, *id, access.serviceId))
                                         serviceAccessTable.change(transaction, *id, access.serviceId, IfMatch(std::string_view()), stamp,
                                                                   [&](ServiceAccess& row)
                                                                   {
                                                                       row.status = access.status;
                                                                       row.plan = access.plan;
                                                                   });
                                     else
                                         access = serviceAccessTable.create(transaction, *id, std::move(access), stamp);
                                     AuditLog::ofOperator(now, *id).record(transaction, "service_access.changed", access.serviceId, access);
                                 }
                                 return changed.size();
                             });
}

std::vector<std::string> InProcessPlans::organizations(std::string_view afterId, std::size_t limit)
{
    auto session = _core.database.session();
    return session.values<std::string>(
        "SELECT id FROM organizations WHERE status = 'active' AND kind = 'business' AND id > $1 ORDER BY id LIMIT $2", afterId,
        static_cast<std::int64_t>(std::min(limit, maxOrganizations)));
}

std::string InProcessPlans::adminOrganization()
{
    auto session = _core.database.session();
    return session.value<std::string>("SELECT id FROM organizations WHERE kind = 'admin' AND status = 'active' ORDER BY id LIMIT 1")
        .value_or("");
}

bool InProcessPlans::isAgent(std::string_view userId)
{
    auto session = _core.database.session();
    const auto user = users::find(session, userId);
    return user && user->principalType == PrincipalType::Agent;
}

} // namespace portico::identity
