#include "launches/LaunchRoutes.h"

#include "common/RateLimits.h"
#include "common/SignedIn.h"

#include "portico/Problem.h"
#include "portico/interfaces/SignIns.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace portico::launchpad
{

namespace
{
constexpr std::int64_t launchesPerMinute = 60;
constexpr std::string_view expiredNotice = "/apps?notice=launch_expired";

bool isReturnPath(std::string_view text)
{
    return text.empty() || (text.starts_with('/') && !text.starts_with("//") && text.find('\\') == std::string_view::npos);
}

/// Adds a code to a callback URL.
std::string withCode(const std::string& url, std::string_view name, std::string_view code)
{
    return url + (url.find('?') == std::string::npos ? '?' : '&') + std::string(name) + '=' + std::string(code);
}

bool isCode(std::string_view text)
{
    return !text.empty() && text.size() <= 200 &&
           std::ranges::all_of(
               text, [](char c)
               { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; });
}

/// Address in the shop of the device's system; empty if the app has no native build for it.
std::string shopUrl(const App& app, const std::optional<LaunchDevice>& device)
{
    const auto& targets = app.shown.launch;
    if (!device) return targets.ios.appStoreUrl.empty() ? targets.android.playStoreUrl : targets.ios.appStoreUrl;
    return device->platform == DevicePlatform::Ios ? targets.ios.appStoreUrl : targets.android.playStoreUrl;
}

bool hasNativeBuild(const App& app, const LaunchDevice& device)
{
    const auto& targets = app.shown.launch;
    return device.platform == DevicePlatform::Ios ? !targets.ios.bundleId.empty() : !targets.android.packageName.empty();
}

/// Returns the target of a tap in the mobile shell: the native app, its store page, or the browser.
std::string mobileUrl(const App& app, const std::optional<LaunchDevice>& device, const std::string& universalLink,
                      const std::string& callbackUrl)
{
    if (!device || !hasNativeBuild(app, *device)) return callbackUrl;
    if (device->installed) return universalLink;
    const auto shop = shopUrl(app, device);
    return shop.empty() ? callbackUrl : shop;
}

Launch shownLaunch(Launch launch, Instant now)
{
    if (launch.mode == LaunchMode::Handoff)
        launch.outcome = launch.exchanged          ? LaunchOutcome::Exchanged
                         : launch.expiresAt <= now ? LaunchOutcome::Expired
                                                   : LaunchOutcome::Pending;
    return launch;
}
} // namespace

LaunchRoutes::LaunchRoutes(PluginContext& context, const Registry& registry, const InstallService& installs,
                           const RequiredApps& requiredApps)
    : _context(context),
      _registry(registry),
      _installs(installs),
      _requiredApps(requiredApps),
      _perUser(perMinute(context, "launches", launchesPerMinute))
{
}

void LaunchRoutes::declare(Routes& routes)
{
    const auto history = access::bearerOrKey({}, "launches.read");
    routes
        .post("/api/launch", access::bearer("launches:create").inPerson(), &LaunchRoutes::launch, this,
              {.summary = "Launch an app with a one-time code",
               .idempotencyKey = false,
               .problems = {"402 plan_required", "403 service_access_denied", "403 blocked_by_assignment", "403 membership_required",
                            "403 login_method_not_allowed", "403 org_policy_mfa_required", "403 org_policy_session_too_old",
                            "403 org_policy_ip_not_allowed", "409 service_not_active", "409 not_launchable", "400 return_to_invalid"}})
        .get("/launch/{serviceId}", access::open(), &LaunchRoutes::open, this,
             {.summary = "Continue a launch in a browser", .undocumented = true})
        .get("/api/launches", history, &LaunchRoutes::list, this, {.summary = "List launches"})
        .get("/api/launches/summary", history, &LaunchRoutes::summary, this, {.summary = "Count launches by app"})
        .get("/api/launcher/apps", access::bearerOrCookie(), &LaunchRoutes::launcher, this,
             {.summary = "List the apps of the switcher in the caller's order", .problems = {"401 session_ended"}});
}

const App& LaunchRoutes::requireLaunchable(const AppCatalog& apps, const Caller& caller, const std::string& serviceId) const
{
    const auto* app = apps.find(serviceId);
    if (!app) throw Problem::notFound("There is no such app.");
    auto session = _context.database().snapshot();
    const Standing standing(_context, session, caller, _installs.questions(), serviceId);
    if (const auto* rule = standing.rule(serviceId); rule && rule->mode == AssignmentMode::Blocked)
        throw Problem::forbidden("blocked_by_assignment", "The organization blocks this app.");
    if (!app->active) throw Problem::conflict("service_not_active", "The app is not available at the moment.");
    if (!app->shown.launchable) throw Problem::conflict("not_launchable", "This service has no page to open.");
    if (!standing.inContext(*app)) throw Problem::forbidden("service_access_denied", "The app does not serve the active context.");
    if (!standing.of(*app).entitled)
    {
        if (app->shown.commerce.pricing == Pricing::Paid)
            throw Problem(402, "plan_required", "The active context has no access to this app.");
        throw Problem::forbidden("service_access_denied", "The active context has no access to this app.");
    }
    return *app;
}

Created<LaunchAnswer> LaunchRoutes::launch(const Caller& caller, const Request& request, const Body<LaunchInput>& input) const
{
    _perUser.require(caller.principalId);
    if (!isReturnPath(input->returnTo)) throw Problem::badRequest("return_to_invalid", "Expected a path of the app.");
    const auto apps = _registry.apps();
    const auto& app = requireLaunchable(*apps, caller, input->serviceId);
    const auto now = _context.clock().now();
    Launch launch;
    launch.serviceId = input->serviceId;
    launch.userId = caller.principalId;
    launch.target = input->target;
    launch.at = now;
    launch.expiresAt = now;
    LaunchAnswer answer;
    answer.serviceId = input->serviceId;
    answer.fallback = {shopUrl(app, input->device), app.launchUrl};
    if (app.callbackUrls.empty())
    {
        launch.mode = answer.mode = LaunchMode::External;
        answer.url = app.launchUrl;
    }
    else
    {
        const auto signIns = _context.services().find<interfaces::SignIns>();
        if (!signIns) throw Problem::unavailable("validation_unavailable", "Codes cannot be issued at the moment. Try again later.");
        const bool mobile = input->target == LaunchTarget::Mobile;
        const auto handoff = signIns->handoff(
            caller, {input->serviceId, app.callbackUrls.front(), input->returnTo, mobile, std::string(request.clientAddress)});
        launch.handoffId = handoff.id;
        launch.expiresAt = handoff.expiresAt;
        answer.expiresAt = handoff.expiresAt;
        answer.url = handoff.callbackUrl;
        if (mobile)
        {
            answer.universalLink = withCode(std::string(request.origin) + "/launch/" + input->serviceId, "code", handoff.code);
            answer.url = mobileUrl(app, input->device, *answer.universalLink, handoff.callbackUrl);
        }
    }
    launch = _context.database().transact(
        [&](Transaction& transaction)
        {
            _requiredApps.opened(transaction, caller.tenantOrSelf(), caller.principalId, launch.serviceId);
            return launchTable.create(transaction, caller.tenantOrSelf(), launch, {now, {}});
        });
    answer.launchId = launch.id;
    return {std::move(answer)};
}

Redirect LaunchRoutes::open(const Path<std::string>& serviceId, const Query<CodeQuery>& query) const
{
    const auto signIns = _context.services().find<interfaces::SignIns>();
    if (!signIns || !isCode(query->code)) return {std::string(expiredNotice)};
    const auto pending = signIns->pendingHandoff(query->code);
    if (!pending || pending->serviceId != *serviceId) return {std::string(expiredNotice)};
    return {withCode(pending->redirectUri, "sso_code", query->code)};
}

Page<Launch> LaunchRoutes::list(const Caller& caller, const Query<LaunchFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenantOrSelf();
    const bool all = caller.may("launchpad.launches:read");
    if (!all && filter->userId && *filter->userId != caller.principalId)
        throw Problem::forbidden("permission_denied", "The permission launchpad.launches:read is needed.");
    auto session = _context.database().session();
    auto select = launchTable.select(tenant);
    if (filter->userId)
        select.where(&Launch::userId, *filter->userId);
    else if (!all)
        select.where(&Launch::userId, caller.principalId);
    if (filter->serviceId) select.where(&Launch::serviceId, *filter->serviceId);
    if (filter->from) select.where("at >= ?", *filter->from);
    if (filter->to) select.where("at < ?", *filter->to);
    auto page = select.orderBy(descending(&Launch::id)).page(session, paging);
    for (auto& launch : page.items) launch = shownLaunch(std::move(launch), _context.clock().now());
    return page;
}

LaunchSummary LaunchRoutes::summary(const Caller& caller, const Query<SummaryQuery>& query) const
{
    const auto tenant = caller.tenantOrSelf();
    const auto only = caller.may("launchpad.launches:read") ? std::string() : caller.principalId;
    const auto apps = _registry.apps();
    LaunchSummary answer;
    auto session = _context.database().snapshot();
    for (const Row row :
         session.query("SELECT service_id, count(*), count(DISTINCT user_id), max(at) FROM launch WHERE organization_id = $1 AND "
                       "at >= $2 AND ($3 = '' OR user_id = $3) GROUP BY service_id ORDER BY count(*) DESC, service_id",
                       tenant, _context.clock().now() - std::chrono::days(query->days), only))
        answer.byService.push_back({row.get<std::string>(0), row.get<std::int64_t>(1), row.get<std::int64_t>(2), row.get<Instant>(3)});
    const Standing standing(_context, session, caller, _installs.questions());
    for (const auto& app : apps->all())
        if (app.listed && app.shown.launchable && standing.inContext(app) && installedBy(standing.of(app)) != InstalledBy::Nobody &&
            std::ranges::find(answer.byService, app.shown.serviceId, &ServiceLaunches::serviceId) == answer.byService.end())
            answer.unused.push_back(app.shown.serviceId);
    return answer;
}

LauncherApps LaunchRoutes::launcher(const Caller& caller, const Request& request) const
{
    const auto behind = caller.anonymous() ? behindCookie(_context, request) : nullptr;
    const Caller& person = behind ? *behind : caller;
    if (!person.may("launchpad.apps:read")) throw Problem::forbidden("permission_denied", "The permission launchpad.apps:read is needed.");
    const auto registry = _context.services().find<interfaces::ServiceCatalog>();
    if (!registry)
        throw Problem::unavailable("registry_unavailable", "The service registry cannot be read at the moment. Try again later.");
    auto session = _context.database().session();
    const auto& questions = _installs.questions();
    const auto places = questions.places ? questions.places(session, person) : std::map<std::string, AppPlace>();
    LauncherApps answer;
    const bool personal = person.organizationId.empty();
    answer.activeContext = {personal ? "personal" : "organization", personal ? std::nullopt : std::optional(person.organizationId),
                            person.organizationName, person.role};
    for (const auto& entry : registry->switcher(person))
    {
        LauncherApp app{entry.serviceId,    entry.name,       entry.iconUrl,          entry.launchUrl,  entry.surfaceKind,
                        entry.surfaceGroup, entry.launchable, entry.householdCapable, entry.accessible, entry.accessReason};
        app.order = static_cast<std::int64_t>(answer.items.size()) + 1;
        if (const auto place = places.find(entry.serviceId); place != places.end())
        {
            app.pinned = place->second.pinned;
            app.hidden = place->second.hidden;
            // Apps with a chosen position come first.
            app.order = place->second.order > 0 ? place->second.order - 100'000 : app.order;
        }
        answer.items.push_back(std::move(app));
    }
    std::ranges::stable_sort(answer.items, {}, [](const LauncherApp& app) { return std::pair(!app.accessible, app.order); });
    for (std::size_t i = 0; i < answer.items.size(); ++i) answer.items[i].order = static_cast<std::int64_t>(i) + 1;
    return answer;
}

} // namespace portico::launchpad
