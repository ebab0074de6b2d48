#include "LaunchpadPlugin.h"

#include "portico/Changes.h"
#include "portico/interfaces/Directory.h"
#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

#include <map>
#include <string>
#include <utility>

namespace portico::launchpad
{

namespace
{
template <class Interface>
HealthCheck optional(PluginContext& context)
{
    return {.name = std::string(Interface::interfaceName),
            .healthy = static_cast<bool>(context.services().find<Interface>()),
            .neededToServe = false};
}
} // namespace

LaunchpadPlugin::LaunchpadPlugin(PluginContext& context)
    : _context(context),
      _registry(context),
      _prices(context.config()),
      _billing(context.config()),
      _launches(context),
      _storeRoutes(context, _registry, _prices, [this] { return _launches.popularity(); }),
      _notifications(context),
      _notificationRoutes(context, _notifications),
      _actions(context),
      _decisionCallbacks(context, _actions),
      _actionRoutes(context, _registry, _actions),
      _requiredApps(_actions),
      _installs(context, _registry, _actions, _notifications, questions()),
      _catalogRoutes(context, _registry, _installs),
      _assignmentRoutes(context, _registry, _requiredApps),
      _launchRoutes(context, _registry, _installs, _requiredApps),
      _shelf(context, _registry, _installs),
      _widgets(context, [this](const Caller& caller) { return _shelf.apps(caller); }),
      _widgetNews(context, _registry),
      _widgetRoutes(context, _widgets, [this](const Caller& caller) { return ownFigures(_context, _registry, _installs, caller); }),
      _onboardingRoutes(context),
      _preferenceRoutes(context, _registry),
      _orgSettingsRoutes(context, _registry),
      _workspaceRoutes(context, _registry, questions()),
      _pageGuard(context, _onboardingRoutes),
      _humans(context),
      _demoCalendar(context),
      _leads(context, _humans, _demoCalendar),
      _leadRoutes(_leads, _demoCalendar),
      _adminSessions(context),
      _adminRoutes(context, _adminSessions),
      _pages(context),
      _marketingPages(context, _pages, _registry, _prices, _billing, _humans, _leads, _demoCalendar),
      _mobileLinks(context, _registry),
      _causes(context, _actions),
      _personCauses(context, _actions),
      _reviewCauses(context, _actions),
      _personRecords(context),
      _processor(context, _billing),
      _planEffects(context, _billing, _registry, _actions),
      _subscriptionSync(context, _processor, _planEffects),
      _webhookRoutes(context, _billing),
      _seatKeeper(context, _billing, _processor, _subscriptionSync, _planEffects),
      _planChange(context, _prices, _registry, _processor, _subscriptionSync, _planEffects),
      _billingRoutes(context, _billing, _processor, _planChange, _seatKeeper),
      _checkouts(context, _billing, _prices, _registry, _processor, _subscriptionSync, _planEffects),
      _checkoutRoutes(context, _checkouts, _humans, _adminSessions),
      _checkoutPages(context, _pages, _registry, _prices, _billing, _checkouts),
      _claimPages(context, _pages, _billing, _checkouts),
      _adminPage(context, _pages, _adminSessions, _adminRoutes, _checkouts)
{
    _widgets.isOutdated = [this](const Caller& caller, std::string_view serviceId, Instant fetchedAt)
    { return _widgetNews.changedSince(caller, serviceId, fetchedAt); };
}

CatalogQuestions LaunchpadPlugin::questions()
{
    const auto rules = [](Session& session, Tenant tenant) -> InstallRules
    {
        const auto settings = org_settings::find(session, tenant);
        return {settings.allowRequests, settings.allowPersonalInstalls};
    };
    const auto places = [](Session& session, const Caller& caller)
    {
        std::map<std::string, AppPlace> found;
        for (auto& [id, place] : PreferenceRoutes::placesOf(session, caller))
            found[id] = {place.pinned, place.hidden, std::move(place.folderId), place.order};
        return found;
    };
    const auto uses = [this](Session& session, const Caller& caller) { return _launches.usesOf(session, caller); };
    const auto plan = [](Session& session, const Caller& caller) -> std::optional<OwnedPlan>
    {
        const auto row = subscriptions::current(session, PlanKind::Paid, activeOwner(caller).id);
        if (!row) return std::nullopt;
        return OwnedPlan{{row->id.text(), row->package}, {row->selectedServiceIds.begin(), row->selectedServiceIds.end()}};
    };
    return {.rules = rules, .places = places, .uses = uses, .plan = plan};
}

void LaunchpadPlugin::start()
{
    _context.services().provide<interfaces::PersonalData>(_personRecords);
    _context.services().provide<interfaces::Seats>(_seatKeeper);
    _causes.start();
    _personCauses.start();
    _reviewCauses.start();
    _launches.start();
    _notifications.start();
    _actions.start();
    _decisionCallbacks.start();
    _widgets.start();
    _widgetNews.start();
    _planEffects.start();
    _subscriptionSync.start();
    _seatKeeper.start();
    _planChange.start();
    _checkouts.start();
}

void LaunchpadPlugin::declare(Routes& routes)
{
    _storeRoutes.declare(routes);
    _notificationRoutes.declare(routes);
    _actionRoutes.declare(routes);
    _catalogRoutes.declare(routes);
    _assignmentRoutes.declare(routes);
    _launchRoutes.declare(routes);
    _widgetRoutes.declare(routes);
    _onboardingRoutes.declare(routes);
    _preferenceRoutes.declare(routes);
    _orgSettingsRoutes.declare(routes);
    _workspaceRoutes.declare(routes);
    _pageGuard.declare(routes);
    _leadRoutes.declare(routes);
    _adminRoutes.declare(routes);
    _marketingPages.declare(routes);
    _webhookRoutes.declare(routes);
    _billingRoutes.declare(routes);
    _checkoutRoutes.declare(routes);
    _checkoutPages.declare(routes);
    _claimPages.declare(routes);
    _adminPage.declare(routes);
    _mobileLinks.declare(routes);
    routes.get("/api/changes", access::bearer("apps:read"), &LaunchpadPlugin::follow, this, {.summary = "Stream changes"});
}

EventStream LaunchpadPlugin::follow(const Caller& caller) const
{
    return {_context.channels(), {Channel(caller.tenantOrSelf(), Changes::channel)}};
}

std::vector<HealthCheck> LaunchpadPlugin::health()
{
    // Without identity no caller can be authenticated; the store is served on.
    return {optional<interfaces::Directory>(_context), optional<interfaces::ServiceCatalog>(_context),
            optional<interfaces::SignIns>(_context), optional<interfaces::Onboarding>(_context)};
}

} // namespace portico::launchpad
