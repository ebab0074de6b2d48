#pragma once

#include "installs/InstallService.h"
#include "installs/RequiredApps.h"
#include "launches/Launches.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

enum class DevicePlatform
{
    Ios,
    Android
};

constexpr auto schemaOf(const DevicePlatform*)
{
    return portico::choices<DevicePlatform>({{"ios", DevicePlatform::Ios}, {"android", DevicePlatform::Android}});
}

struct LaunchDevice
{
    DevicePlatform platform = DevicePlatform::Ios;
    bool installed = true;
};

constexpr auto schemaOf(const LaunchDevice*)
{
    return describe(field<&LaunchDevice::platform>(), field<&LaunchDevice::installed>().description("Whether the native app is installed"));
}

struct LaunchInput
{
    std::string serviceId;
    LaunchTarget target = LaunchTarget::Web;
    std::string returnTo;
    std::optional<LaunchDevice> device;
};

constexpr auto schemaOf(const LaunchInput*)
{
    return describe(field<&LaunchInput::serviceId>("service_id").required(), field<&LaunchInput::target>(),
                    field<&LaunchInput::returnTo>().maxLength(1000).description("A path of the app"), field<&LaunchInput::device>());
}

struct LaunchFallback
{
    std::string appStoreUrl;
    std::string webUrl;
};

constexpr auto schemaOf(const LaunchFallback*) { return describe(members<&LaunchFallback::appStoreUrl, &LaunchFallback::webUrl>()); }

struct LaunchAnswer
{
    LaunchId launchId;
    std::string serviceId;
    LaunchMode mode = LaunchMode::Handoff;
    std::string url;
    std::optional<std::string> universalLink;
    LaunchFallback fallback;
    std::optional<Instant> expiresAt;
};

constexpr auto schemaOf(const LaunchAnswer*)
{
    return describe(field<&LaunchAnswer::launchId>(), field<&LaunchAnswer::serviceId>("service_id"),
                    field<&LaunchAnswer::mode>().description("`handoff` for a URL with a one-time code, `external` for a URL without one"),
                    field<&LaunchAnswer::url>(), field<&LaunchAnswer::universalLink>().omitEmpty(),
                    members<&LaunchAnswer::fallback, &LaunchAnswer::expiresAt>());
}

struct LaunchFilter
{
    std::optional<std::string> userId;
    std::optional<std::string> serviceId;
    std::optional<Instant> from;
    std::optional<Instant> to;
};

constexpr auto schemaOf(const LaunchFilter*)
{
    return describe(field<&LaunchFilter::userId>().description("Default: the caller; for callers with `launches:read`, all users"),
                    field<&LaunchFilter::serviceId>("service_id"), field<&LaunchFilter::from>().description("Inclusive"),
                    field<&LaunchFilter::to>().description("Exclusive"));
}

struct SummaryQuery
{
    std::int64_t days = 30;
};

constexpr auto schemaOf(const SummaryQuery*) { return describe(field<&SummaryQuery::days>().range(1, 365)); }

struct ServiceLaunches
{
    std::string serviceId;
    std::int64_t launches = 0;
    std::int64_t users = 0;
    Instant lastAt{};
};

constexpr auto schemaOf(const ServiceLaunches*)
{
    return describe(field<&ServiceLaunches::serviceId>("service_id"),
                    members<&ServiceLaunches::launches, &ServiceLaunches::users, &ServiceLaunches::lastAt>());
}

struct LaunchSummary
{
    std::vector<ServiceLaunches> byService;
    std::vector<std::string> unused;
};

constexpr auto schemaOf(const LaunchSummary*)
{
    return describe(field<&LaunchSummary::byService>(), field<&LaunchSummary::unused>().description("Installed apps without a launch"));
}

struct CodeQuery
{
    std::string code;
};

constexpr auto schemaOf(const CodeQuery*) { return describe(members<&CodeQuery::code>()); }

struct LauncherContext
{
    std::string kind;
    std::optional<std::string> organizationId;
    std::string organizationName;
    std::string role;
};

constexpr auto schemaOf(const LauncherContext*)
{
    return describe(
        members<&LauncherContext::kind, &LauncherContext::organizationId, &LauncherContext::organizationName, &LauncherContext::role>());
}

struct LauncherApp
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
    std::string accessReason;
    std::int64_t order = 0;
    bool pinned = false;
    bool hidden = false;
};

constexpr auto schemaOf(const LauncherApp*)
{
    return describe(
        field<&LauncherApp::serviceId>("service_id"), members<&LauncherApp::name, &LauncherApp::iconUrl, &LauncherApp::launchUrl>(),
        field<&LauncherApp::surfaceKind>("surface_kind"), field<&LauncherApp::surfaceGroup>("surface_group"),
        field<&LauncherApp::launchable>(), field<&LauncherApp::householdCapable>("household_capable"),
        members<&LauncherApp::accessible, &LauncherApp::accessReason, &LauncherApp::order, &LauncherApp::pinned, &LauncherApp::hidden>());
}

struct LauncherApps
{
    LauncherContext activeContext;
    std::vector<LauncherApp> items;
    std::optional<std::string> nextCursor;
};

constexpr auto schemaOf(const LauncherApps*)
{
    return describe(members<&LauncherApps::activeContext, &LauncherApps::items, &LauncherApps::nextCursor>());
}

/// Opening apps, the history of that, and the list of the shared launcher. Thread-safe.
class LaunchRoutes
{
public:
    LaunchRoutes(PluginContext& context, const Registry& registry, const InstallService& installs, const RequiredApps& requiredApps);
    void declare(Routes& routes);

    Created<LaunchAnswer> launch(const Caller& caller, const Request& request, const Body<LaunchInput>& input) const;
    Redirect open(const Path<std::string>& serviceId, const Query<CodeQuery>& query) const;
    Page<Launch> list(const Caller& caller, const Query<LaunchFilter>& filter, const Paging& paging) const;
    LaunchSummary summary(const Caller& caller, const Query<SummaryQuery>& query) const;
    LauncherApps launcher(const Caller& caller, const Request& request) const;

private:
    const App& requireLaunchable(const AppCatalog& apps, const Caller& caller, const std::string& serviceId) const;

    PluginContext& _context;
    const Registry& _registry;
    const InstallService& _installs;
    const RequiredApps& _requiredApps;
    const RateLimit _perUser;
};

} // namespace portico::launchpad
