#pragma once

#include "permissions/PersonAccess.h"

#include "portico/Schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::identity
{

/// An application as the launcher shows it.
struct SwitcherItem
{
    std::string serviceId;
    std::string name;
    std::string iconUrl;
    std::string launchUrl;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = true;
    bool householdCapable = false;
    bool accessible = false;
    /// Result of `accessReason`.
    std::string accessReason;
    std::int64_t order = 0;
};

constexpr auto schemaOf(const SwitcherItem*)
{
    return describe(field<&SwitcherItem::serviceId>("service_id"),
                    members<&SwitcherItem::name, &SwitcherItem::iconUrl, &SwitcherItem::launchUrl>(),
                    field<&SwitcherItem::surfaceKind>("surface_kind"), field<&SwitcherItem::surfaceGroup>("surface_group"),
                    field<&SwitcherItem::launchable>(), field<&SwitcherItem::householdCapable>("household_capable"),
                    members<&SwitcherItem::accessible, &SwitcherItem::accessReason, &SwitcherItem::order>());
}

/// Reason why a service is open or closed to a person: `organization_access`, `personal_access`, `platform_bypass`, or the obstacle.
std::string accessReason(Obstacle obstacle, const ActiveStanding& standing);

/// Returns the user's applications for the switcher: accessible ones first, each part by name. Empty for a user who is not eligible for the
/// launcher.
std::vector<SwitcherItem> switcherItems(const Catalog& catalog, const PersonAccess& person);

} // namespace portico::identity
