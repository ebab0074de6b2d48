#include "WidgetRoutes.h"

#include "Note.h"

namespace acme_notes
{

using namespace portico;

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("notes:read", "notes.read"), &WidgetRoutes::show, this,
               {.summary = "The tile on the launchpad", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto tenant = caller.tenant();
    auto widget = Widget::answering(*query, caller, "overview", _context.host().serviceId, _context.clock().now());
    widget.title = "Acme Notes";
    widget.more = {"All notes", "/"};

    auto snapshot = _context.database().snapshot();
    const auto days = _context.config().integer("acme-notes.widgetDays");
    const auto since = widget.generatedAt - std::chrono::hours(24 * days);
    const auto total = notes.count(snapshot, tenant);
    const auto recent = notes.select(tenant).where("created_at >= ?", since).count(snapshot);
    widget.summary = std::to_string(total) + (total == 1 ? " note" : " notes");
    widget.metrics.resize(2);
    widget.metrics[0].id = "notes";
    widget.metrics[0].label = "Notes";
    widget.metrics[0].value = total;
    widget.metrics[1].id = "new";
    widget.metrics[1].label = "New in " + std::to_string(days) + (days == 1 ? " day" : " days");
    widget.metrics[1].value = recent;
    for (auto& metric : widget.metrics) metric.href = "/";
    for (const auto& note : notes.select(tenant).orderBy(descending(&Note::id)).all(snapshot, 5))
    {
        auto& item = widget.items.emplace_back();
        item.id = note.id.text();
        item.title = note.title;
        item.timestamp = note.createdAt;
        item.href = "/";
    }
    if (total == 0)
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{"No notes yet", "Create the first one."};
    }
    return widget.fit();
}

} // namespace acme_notes
