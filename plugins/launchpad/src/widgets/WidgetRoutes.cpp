#include "widgets/WidgetRoutes.h"

#include "common/Ids.h"
#include "common/SignedIn.h"
#include "common/Slice.h"

#include "portico/Text.h"

#include <algorithm>

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
    // Only the handler knows the user of a cookie, so it checks the permission.
    const Access batch{.bearer = true, .apiKey = true, .cookie = true, .scope = "widgets.read"};
    const auto read = access::bearerOrKey("widgets:read", "widgets.read");
    routes
        .post("/api/widgets", batch, &WidgetRoutes::batch, this,
              {.summary = "Read the widgets of the installed apps", .idempotencyKey = false, .problems = {"401 session_ended"}})
        .get("/api/widgets/catalog", access::bearer("widgets:read"), &WidgetRoutes::catalog, this,
             {.summary = "List the widgets that a dashboard can show"})
        .get("/api/widgets/stream", access::bearerOrCookie(), &WidgetRoutes::follow, this,
             {.summary = "Stream changes of widgets", .problems = {"401 session_ended"}})
        .get("/api/widget", read, &WidgetRoutes::own, this, {.summary = "Read the launchpad widget", .problems = {"404 widget_not_found"}});
}

/// The caller, or the person behind the cookie. @throws Problem 401; 403 `permission_denied`
std::shared_ptr<const Caller> WidgetRoutes::personOf(const Caller& caller, const Request& request) const
{
    auto person = caller.anonymous() ? behindCookie(_context, request) : std::shared_ptr<const Caller>(std::shared_ptr<void>(), &caller);
    if (!person->may("launchpad.widgets:read"))
        throw Problem::forbidden("permission_denied", "The permission launchpad.widgets:read is needed.");
    return person;
}

EventStream WidgetRoutes::follow(const Caller& caller, const Request& request) const
{
    // The host revalidates tokens, but not cookies, so a stream that a cookie opened ends soon and reconnects.
    constexpr std::chrono::minutes cookieTime{5};
    const auto person = personOf(caller, request);
    EventStream stream(_context.channels(), WidgetNews::channelsOf(*person));
    if (caller.anonymous()) stream.until = _context.clock().now() + cookieTime;
    stream.label = person->sessionId;
    return stream;
}

BatchAnswer WidgetRoutes::batch(const Caller& caller, const Request& request, const Body<BatchInput>& input) const
{
    const auto person = personOf(caller, request);
    FetchContext context;
    context.requestId = request.requestId;
    context.clientAddress = request.clientAddress;
    context.locale = localeOf(request.header("Accept-Language"));
    return _batch.run(*person, *input, std::move(context));
}

Page<CatalogWidget> WidgetRoutes::catalog(const Caller& caller, const Paging& paging) const
{
    std::vector<CatalogWidget> widgets;
    for (const auto& app : _batch.apps(caller))
    {
        std::int64_t at = 0;
        if (app.obstacle) continue;
        for (const auto& widget : app.widgets)
            widgets.push_back({app.serviceId, widget.id, widget.title,
                               widget.sizes.empty() ? std::vector<std::string>{"s", "m", "l"} : widget.sizes,
                               app.place + sortableDigits(at++)});
    }
    return sortedPageOf(std::move(widgets), paging, &CatalogWidget::place);
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
    metric("unread", "Unread notifications", figures.unread, "/notifications");
    metric("unused_apps", "Unused apps", figures.unusedApps, "/apps");
    widget.title = "Launchpad";
    widget.summary = figures.openActions == 0 ? "Nothing needs a decision" : std::to_string(figures.openActions) + " decisions needed";
    widget.counts = {figures.openActions, figures.unread};
    widget.more = WidgetLink{"Open dashboard", "/dashboard"};
    widget.fit();
    return widget;
}

} // namespace portico::launchpad
