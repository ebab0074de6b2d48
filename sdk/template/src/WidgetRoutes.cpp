#include "WidgetRoutes.h"

namespace acme_notes
{

using namespace portico;

namespace
{

/// The launchpad asks for the context in which the caller is; nobody else's is shown.
void checkContext(const WidgetQuery& query, const std::string& organization)
{
    const bool same = query.context == "organization" && query.householdId.empty() &&
                      (query.organizationId.empty() || query.organizationId == organization);
    if (!same) throw Problem::forbidden("permission_denied", "This is not the caller's context.");
}

/// As many characters as a title may have there.
std::string titleOf(std::string text)
{
    constexpr int longest = 80;
    int characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U && ++characters > longest) return text.substr(0, i);
    return text;
}

} // namespace

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("notes:read", "notes.read"), &WidgetRoutes::show, this,
               {.summary = "The tile on the launchpad", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto& organization = caller.organizationId();
    checkContext(*query, organization);
    if (query->widgetId != "overview") throw Problem(404, "widget_not_found", "There is no such widget.");

    Widget widget;
    widget.serviceId = _context.host().serviceId;
    widget.widgetId = query->widgetId;
    widget.title = "Acme Notes";
    widget.generatedAt = _context.clock().now();
    widget.context.organizationId = organization;
    widget.more = {"All notes", "/"};

    auto snapshot = _context.database().snapshot();
    const auto days = _context.config().integer("acme-notes.widgetDays");
    const auto total = _notes.count(snapshot, organization);
    const auto recent = _notes.count(snapshot, organization, widget.generatedAt - std::chrono::hours(24 * days));
    widget.summary = std::to_string(total) + (total == 1 ? " note" : " notes");
    widget.metrics = {{"notes", "Notes", total, "integer", "/"},
                      {"new", "New in " + std::to_string(days) + (days == 1 ? " day" : " days"), recent, "integer", "/"}};
    for (auto& note : _notes.list(snapshot, organization, "", 5))
        widget.items.push_back({note.id.text(), titleOf(std::move(note.title)), note.createdAt, "/"});
    if (total == 0)
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{"No notes yet", "Write the first one."};
    }
    return widget;
}

} // namespace acme_notes
