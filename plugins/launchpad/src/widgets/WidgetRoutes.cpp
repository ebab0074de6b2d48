#include "widgets/WidgetRoutes.h"

#include "common/Ids.h"
#include "common/SignedIn.h"

#include "portico/Text.h"

#include <algorithm>
#include <memory>

namespace portico::launchpad
{

std::string localeOf(std::string_view acceptLanguage)
{
    const auto first = trim(acceptLanguage.substr(0, acceptLanguage.find_first_of(",;")));
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; };
    const auto language = first.substr(0, first.find('-'));
    const bool isTag = language.size() >= 2 && language.size() <= 3 && first.size() <= 35 && std::ranges::all_of(first, fits) &&
                       !first.ends_with('-') && first.find("--") == std::string_view::npos;
    return isTag ? std::string(first) : "en";
}

void WidgetRoutes::declare(Routes& routes)
{
    // The person behind a cookie is known in the handler only, so the permission is checked there.
    const Access batch{.bearer = true, .apiKey = true, .cookie = true, .scope = "widgets.read"};
    const auto read = access::bearerOrKey("widgets:read", "widgets.read");
    routes
        .post("/api/widgets", batch, &WidgetRoutes::batch, this,
              {.summary = "Read the widgets of the installed apps", .idempotencyKey = false, .problems = {"401 session_ended"}})
        .get("/api/widgets/catalog", access::bearer("widgets:read"), &WidgetRoutes::catalog, this,
             {.summary = "List the widgets that a dashboard can show"})
        .get("/api/widget", read, &WidgetRoutes::own, this,
             {.summary = "Open actions, unread notifications and unused apps", .problems = {"404 widget_not_found"}});
}

BatchAnswer WidgetRoutes::batch(const Caller& caller, const Request& request, const Body<BatchInput>& input) const
{
    const auto behind = caller.anonymous() ? behindCookie(_context, request) : nullptr;
    const Caller& person = behind ? *behind : caller;
    if (!person.may("launchpad.widgets:read"))
        throw Problem::forbidden("permission_denied", "The permission launchpad.widgets:read is needed.");
    FetchContext context;
    context.requestId = request.requestId;
    context.clientAddress = request.clientAddress;
    context.locale = localeOf(request.header("Accept-Language"));
    return _batch.run(person, *input, std::move(context));
}

Page<CatalogWidget> WidgetRoutes::catalog(const Caller& caller) const
{
    Page<CatalogWidget> page;
    for (const auto& app : _batch.apps(caller))
        if (!app.obstacle)
            for (const auto& widget : app.widgets)
                page.items.push_back({app.serviceId, widget.id, widget.title,
                                      widget.sizes.empty() ? std::vector<std::string>{"s", "m", "l"} : widget.sizes});
    return page;
}

Widget WidgetRoutes::own(const Caller& caller, const Query<WidgetQuery>& query) const
{
    auto widget = Widget::answering(*query, caller, "overview", ownServiceId, _context.clock().now());
    const auto figures = _figures ? _figures(caller) : OwnFigures();
    const auto metric = [&](std::string id, std::string label, std::int64_t value, std::string href)
    {
        WidgetMetric made;
        made.id = std::move(id);
        made.label = std::move(label);
        made.value = value;
        made.href = std::move(href);
        widget.metrics.push_back(std::move(made));
    };
    metric("open_actions", "Open actions", figures.openActions, "/actions");
    metric("unread", "Unread notifications", figures.unread, "/dashboard");
    metric("unused_apps", "Unused apps", figures.unusedApps, "/apps");
    widget.title = "Launchpad";
    widget.summary = figures.openActions == 0 ? "Nothing needs a decision" : std::to_string(figures.openActions) + " decisions needed";
    widget.counts = {figures.openActions, figures.unread};
    widget.more = WidgetLink{"Open dashboard", "/dashboard"};
    widget.fit();
    return widget;
}

} // namespace portico::launchpad
