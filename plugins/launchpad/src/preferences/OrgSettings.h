#pragma once

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// A message that an organization shows on every dashboard.
struct Announcement
{
    std::string text;
    /// Shown until then; empty: until it is removed.
    std::optional<Instant> until;
};

constexpr auto schemaOf(const Announcement*)
{
    return describe(field<&Announcement::text>().required().trimmed().maxLength(500), field<&Announcement::until>());
}

/// Rules of an organization for the dashboards of its members.
struct OrgSettings : Versioned
{
    std::string name = "launchpad";
    /// Apply to members who have not chosen themselves.
    std::vector<std::string> defaultOrder;
    std::vector<std::string> defaultPinned;
    bool allowRequests = true;
    bool allowPersonalInstalls = false;
    std::optional<Announcement> announcement;
};

constexpr auto schemaOf(const OrgSettings*)
{
    return describe(field<&OrgSettings::name>().columnOnly(), field<&OrgSettings::defaultOrder>().maxItems(2000),
                    field<&OrgSettings::defaultPinned>().maxItems(200),
                    members<&OrgSettings::allowRequests, &OrgSettings::allowPersonalInstalls, &OrgSettings::announcement>(),
                    versioned<OrgSettings>());
}

inline constexpr Table orgSettingsTable{"organization_setting", &OrgSettings::name};

/// Settings of organizations. Every function works in the session that it is given.
namespace org_settings
{
/// The defaults, with version 0, until something is set. In personal context too.
OrgSettings find(Session& session, Tenant tenant);
} // namespace org_settings

} // namespace portico::launchpad
