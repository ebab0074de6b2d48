#include "widget/WidgetRoutes.h"

#include "bookings/Booking.h"
#include "hosts/ActingHost.h"

namespace portico::calendar
{

namespace
{
constexpr std::int64_t shownBookings = 5;

WidgetMetric metric(std::string id, std::string label, std::int64_t value, std::string href)
{
    WidgetMetric metric;
    metric.id = std::move(id);
    metric.label = std::move(label);
    metric.value = value;
    metric.href = std::move(href);
    return metric;
}

WidgetItem itemOf(const Booking& booking)
{
    WidgetItem item;
    item.id = booking.bookingId.text();
    item.title = booking.guest.name;
    item.subtitle = booking.title;
    item.timestamp = booking.start;
    item.status = booking.status == BookingStatus::Pending ? "warning" : "info";
    item.href = "/app/bookings/" + booking.bookingId.text();
    return item;
}
} // namespace

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("bookings:read", "bookings.read").bindInHandler("host"), &WidgetRoutes::show, this,
               {.summary = "The tile of the launchpad", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto now = _tools.now();
    auto widget = Widget::answering(*query, caller, "overview", "calendar", now);
    widget.title = "Calendar";
    auto session = _tools.database().session();
    const auto host = ownHost(session, caller);
    if (!host || !caller.reaches(hostResource, host->hostId.text()))
    {
        widget.status = WidgetStatus::SetupRequired;
        widget.setup = WidgetSetup{"Set up your booking page", "Choose an address and your hours, and share the page.", "/app"};
        return widget.fit();
    }
    const auto tenant = caller.tenant();
    const auto ahead = [&](Select<Booking>& bookings) -> Select<Booking>&
    { return bookings.where(&Booking::hostId, host->hostId).where("start_at >= ?", now); };
    auto upcoming = bookingTable.select(tenant), week = bookingTable.select(tenant), requests = bookingTable.select(tenant);
    const auto next = ahead(upcoming)
                          .whereIn(&Booking::status, std::vector{BookingStatus::Confirmed, BookingStatus::Pending})
                          .orderBy(&Booking::start)
                          .all(session, shownBookings);
    const auto waiting = ahead(requests).where(&Booking::status, BookingStatus::Pending).count(session);
    ahead(week).where(&Booking::status, BookingStatus::Confirmed).where("start_at < ?", now + std::chrono::days(7));
    widget.metrics = {metric("next_7d", "Next 7 days", week.count(session), "/app"),
                      metric("requests", "Requests", waiting, "/app/requests")};
    for (const auto& booking : next) widget.items.push_back(itemOf(booking));
    widget.counts.attention = waiting;
    widget.summary = next.empty() ? "No bookings ahead" : "Next: " + next.front().guest.name;
    if (next.empty())
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{"No bookings ahead", "Share your page, and they come."};
    }
    return widget.fit();
}

} // namespace portico::calendar
