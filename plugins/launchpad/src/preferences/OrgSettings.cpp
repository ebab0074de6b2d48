#include "preferences/OrgSettings.h"

namespace portico::launchpad::org_settings
{

OrgSettings find(Session& session, Tenant tenant)
{
    OrgSettings defaults;
    defaults.version = 0;
    if (tenant.isUser()) return defaults;
    return orgSettingsTable.find(session, tenant, defaults.name).value_or(defaults);
}

} // namespace portico::launchpad::org_settings
