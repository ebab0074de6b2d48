#include "installs/CatalogRoutes.h"

#include "common/Slice.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::launchpad
{

/// The state of one request.
struct CatalogRoutes::View
{
    View(PluginContext& context, Session& session, const Caller& caller, const CatalogQuestions& questions)
        : standing(context, session, caller, questions)
    {
        if (questions.places) places = questions.places(session, caller);
        if (questions.uses) uses = questions.uses(session, caller);
        if (questions.plan) plan = questions.plan(session, caller);
        // A badge shows that something waits, so the newest two hundred are enough.
        for (const auto& action : actionTable.select(caller.tenantOrSelf())
                                      .where(&Action::status, ActionStatus::Open)
                                      .orderBy(descending(&Action::id))
                                      .all(session, 200))
            if (ActionQueue::isAssignedTo(action, caller)) ++badges[action.source.serviceId];
    }

    Standing standing;
    std::map<std::string, AppPlace> places;
    std::map<std::string, AppUse> uses;
    std::map<std::string, std::int64_t> badges;
    std::optional<OwnedPlan> plan;
};

void CatalogRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("apps:read", "apps.read");
    // The service checks the right to install, which depends on a setting of the organization.
    const auto install = access::bearerOrKey("apps:request", "apps.write").orPersonal();
    routes
        .get("/api/catalog", read, &CatalogRoutes::list, this,
             {.summary = "List the apps of the active context", .cacheControl = "private, no-cache"})
        .get("/api/catalog/{service_id}", read, &CatalogRoutes::show, this,
             {.summary = "Read an app of the active context", .problems = {"404 not_in_context"}})
        .post("/api/installs", install, &CatalogRoutes::install, this,
              {.summary = "Install an app for the caller or the organization",
               .problems = {"402 plan_required", "403 blocked_by_assignment", "404 not_in_context", "409 already_installed",
                            "409 service_not_active"}})
        .del("/api/installs/{service_id}", install, &CatalogRoutes::remove, this,
             {.summary = "Remove an installed app", .problems = {"404 not_in_context", "409 required_by_assignment"}})
        .post("/api/install-requests", access::bearerOrKey("apps:request", "apps.write"), &CatalogRoutes::request, this,
              {.summary = "Ask an administrator to install an app",
               .problems = {"402 plan_required", "403 blocked_by_assignment", "404 not_in_context", "409 already_requested",
                            "409 already_installed", "409 service_not_active"},
               .statuses = {202}});
}

CatalogAppText CatalogRoutes::viewOf(const View& view, const App& app) const
{
    CatalogAppText shown;
    shown.begin = app.text.begin;
    shown.commerce.terms = app.text.commerce;
    shown.end = app.text.end;
    const auto& id = app.shown.serviceId;
    const auto circumstances = view.standing.of(app);
    shown.availability = availabilityOf(circumstances);
    shown.commerce.entitled = circumstances.entitled;
    const bool planned = view.plan && app.shown.commerce.bundleEligible && app.shown.commerce.countsTowardBundle &&
                         (view.plan->apps.empty() || view.plan->apps.contains(id));
    if (planned && circumstances.entitled) shown.commerce.entitledBy = view.plan->by;
    if (shown.availability == Availability::Installed)
    {
        InstallView install;
        install.mode = circumstances.mode;
        if (const auto* row = view.standing.install(id, installedBy(circumstances)))
        {
            install.installedAt = row->createdAt;
            install.installedBy = row->installedBy;
        }
        shown.install = std::move(install);
    }
    if (const auto place = view.places.find(id); place != view.places.end())
    {
        shown.user.pinned = place->second.pinned;
        shown.user.hidden = place->second.hidden;
        if (!place->second.folderId.empty()) shown.user.folderId = place->second.folderId;
        if (place->second.order > 0) shown.user.order = place->second.order;
    }
    if (const auto use = view.uses.find(id); use != view.uses.end())
    {
        shown.user.lastLaunchedAt = use->second.lastLaunchedAt;
        shown.user.launchCount30d = use->second.launches30d;
    }
    if (const auto badge = view.badges.find(id); badge != view.badges.end()) shown.badge = AppBadge{badge->second, "action"};
    return shown;
}

Page<CatalogAppText> CatalogRoutes::list(const Caller& caller, const Query<CatalogFilter>& filter, const Paging& paging) const
{
    const auto apps = _registry.apps();
    auto session = _context.database().snapshot();
    const View view(_context, session, caller, _service.questions());
    std::vector<bool> found;
    if (!trim(filter->q).empty())
    {
        found.resize(apps->all().size());
        const auto result = apps->index().find(filter->q);
        for (const auto& hit : result.hits()) found[hit.document] = true;
    }
    const auto& order = apps->byName();
    const auto appAt = [&](std::size_t place) -> const App& { return apps->all()[order[place]]; };
    const auto accepts = [&](std::size_t place)
    {
        const auto& app = appAt(place);
        return (found.empty() || found[order[place]]) && view.standing.inContext(app) && view.standing.sees(app) &&
               (!filter->surfaceGroup || app.shown.surfaceGroup == *filter->surfaceGroup) &&
               (filter->availability.empty() ||
                std::ranges::find(filter->availability, availabilityOf(view.standing.of(app))) != filter->availability.end());
    };
    const auto key = [&](std::size_t place) { return std::pair(appAt(place).sortName, appAt(place).shown.serviceId); };
    const auto part = slice({order.size(), key, accepts}, paging.cursor, static_cast<std::size_t>(paging.limit));
    Page<CatalogAppText> page;
    for (const auto place : part.places) page.items.push_back(viewOf(view, appAt(place)));
    if (!part.next.empty()) page.nextCursor = part.next;
    if (paging.includeTotal) page.total = countOf(order.size(), accepts);
    return page;
}

CatalogAppText CatalogRoutes::show(const Caller& caller, const Path<std::string>& serviceId) const
{
    const auto apps = _registry.apps();
    auto session = _context.database().snapshot();
    const View view(_context, session, caller, _service.questions());
    const auto* app = apps->find(*serviceId);
    if (!app || !app->listed || !view.standing.sees(*app)) throw Problem::notFound("There is no such app.");
    if (!view.standing.inContext(*app)) throw Problem(404, "not_in_context", "The app does not serve the active context.");
    return viewOf(view, *app);
}

Created<InstallAnswer> CatalogRoutes::install(const Caller& caller, const Body<InstallInput>& input) const
{
    _service.install(caller, input->serviceId, input->scope);
    return {InstallAnswer{input->serviceId}};
}

NoContent CatalogRoutes::remove(const Caller& caller, const Path<std::string>& serviceId) const
{
    _service.remove(caller, *serviceId);
    return {};
}

Reply<RequestAnswer> CatalogRoutes::request(const Caller& caller, const Body<RequestInput>& input) const
{
    const auto made = _service.request(caller, input->serviceId, input->reason);
    return {.record = {made.id.text(), made.actionId}, .status = 202};
}

} // namespace portico::launchpad
