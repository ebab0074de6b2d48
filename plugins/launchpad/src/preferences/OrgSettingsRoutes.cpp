#include "preferences/OrgSettingsRoutes.h"

#include "preferences/ServiceLists.h"

#include "portico/Changes.h"

namespace portico::launchpad
{

void OrgSettingsRoutes::declare(Routes& routes)
{
    routes
        .get("/api/org-settings", access::bearerOrKey("settings:read", "settings.read"), &OrgSettingsRoutes::show, this,
             {.summary = "Read the dashboard rules of the organization"})
        .put("/api/org-settings", access::bearerOrKey("settings:manage", "settings.write"), &OrgSettingsRoutes::change, this,
             {.summary = "Change the dashboard rules of the organization", .problems = {"400 unknown_service"}});
}

OrgSettings OrgSettingsRoutes::show(const Caller& caller) const
{
    auto settings = [&]
    {
        auto session = _context.database().session();
        return org_settings::find(session, caller.tenant());
    }();
    const auto apps = _registry.apps();
    const ServiceLists lists(*apps);
    lists.clean(settings.defaultOrder);
    lists.clean(settings.defaultPinned);
    return settings;
}

OrgSettings OrgSettingsRoutes::change(const Caller& caller, const Body<Patch<OrgSettings>>& patch, const IfMatch& ifMatch) const
{
    const auto tenant = caller.tenant();
    const auto now = _context.clock().now();
    const auto apps = _registry.apps();
    auto changed = _context.database().transact(
        [&](Transaction& transaction)
        {
            OrgSettings fresh;
            fresh.version = 0;
            fresh.createdAt = fresh.updatedAt = now;
            orgSettingsTable.insertIfAbsent(transaction, tenant, fresh);
            return orgSettingsTable.change(transaction, tenant, fresh.name, ifMatch, {now, caller.principalId},
                                           [&](OrgSettings& settings)
                                           {
                                               patch->applyTo(settings);
                                               const ServiceLists lists(*apps);
                                               if (patch->has("defaultOrder")) lists.require(settings.defaultOrder, "defaultOrder");
                                               if (patch->has("defaultPinned")) lists.require(settings.defaultPinned, "defaultPinned");
                                           });
        });
    _context.channels().publish(Channel(tenant, Changes::channel), "launchpad.settings.changed", "{}");
    return changed;
}

} // namespace portico::launchpad
