#pragma once

#include "installs/Assignment.h"
#include "installs/Install.h"

#include <optional>

namespace portico::launchpad
{

enum class Availability
{
    Installed,
    Available,
    RequiresPlan,
    RequestRequired,
    Requested,
    ComingSoon,
    Unavailable
};

constexpr auto schemaOf(const Availability*)
{
    using enum Availability;
    return portico::choices<Availability>({{"installed", Installed},
                                           {"available", Available},
                                           {"requires_plan", RequiresPlan},
                                           {"request_required", RequestRequired},
                                           {"requested", Requested},
                                           {"coming_soon", ComingSoon},
                                           {"unavailable", Unavailable}});
}

/// Everything that decides whether an app is available to a caller.
struct Circumstances
{
    std::optional<AssignmentMode> mode;
    std::optional<InstallState> ofOrganization;
    std::optional<InstallState> ofUser;
    /// True if the app is installed unless a person or the organization removed it.
    bool byDefault = false;
    bool comingSoon = false;
    /// True if the active context may use the app.
    bool entitled = false;
    bool requested = false;
    /// True if the caller may install it for the organization or for themselves.
    bool mayInstall = false;
};

enum class InstalledBy
{
    Nobody,
    Assignment,
    Organization,
    User,
    Default
};

/// Returns by what the app is installed; a blocked app is not.
constexpr InstalledBy installedBy(const Circumstances& app)
{
    if (app.mode == AssignmentMode::Blocked) return InstalledBy::Nobody;
    if (app.mode == AssignmentMode::Required) return InstalledBy::Assignment;
    if (app.ofOrganization == InstallState::Installed) return InstalledBy::Organization;
    if (app.ofUser == InstallState::Installed) return InstalledBy::User;
    // A removal by the organization counts for all of its members.
    return app.byDefault && !app.ofOrganization && !app.ofUser ? InstalledBy::Default : InstalledBy::Nobody;
}

/// Returns the first availability that matches.
constexpr Availability availabilityOf(const Circumstances& app)
{
    if (app.mode == AssignmentMode::Blocked) return Availability::Unavailable;
    if (installedBy(app) != InstalledBy::Nobody) return Availability::Installed;
    if (app.comingSoon) return Availability::ComingSoon;
    if (!app.entitled) return Availability::RequiresPlan;
    if (app.requested) return Availability::Requested;
    return app.mayInstall ? Availability::Available : Availability::RequestRequired;
}

} // namespace portico::launchpad
