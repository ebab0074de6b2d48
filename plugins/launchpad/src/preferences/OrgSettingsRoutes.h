#pragma once

#include "catalog/Registry.h"
#include "preferences/OrgSettings.h"

#include "portico/Routes.h"

namespace portico::launchpad
{

/// /api/org-settings: the rules of an organization for the dashboards of its members. Thread-safe.
class OrgSettingsRoutes
{
public:
    OrgSettingsRoutes(PluginContext& context, const Registry& registry) : _context(context), _registry(registry) {}
    void declare(Routes& routes);

    OrgSettings show(const Caller& caller) const;
    OrgSettings change(const Caller& caller, const Body<Patch<OrgSettings>>& patch, const IfMatch& ifMatch) const;

private:
    PluginContext& _context;
    const Registry& _registry;
};

} // namespace portico::launchpad
