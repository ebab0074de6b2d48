#include "widget/WidgetRoutes.h"

#include "records/Booking.h"

namespace portico::calendar
{

namespace
{
constexpr std::int64_t shownBookings = 5;

/// Texts of the tile of the launchpad.
struct TileWords
{
    const char* title;
    const char* setup;
    const char* setupText;
    const char* today;
    const char* week;
    const char* requests;
    /// Comes before the name of the next guest.
    const char* next;
    const char* nothing;
    const char* nothingText;
};

constexpr TileWords englishTile{.title = "Calendar",
                                .setup = "Set up your booking page",
                                .setupText = "Choose an address and your hours, and share the page.",
                                .today = "Today",
                                .week = "This week",
                                .requests = "Requests",
                                .next = "Next: ",
                                .nothing = "No bookings ahead",
                                .nothingText = "Share your page to get bookings."};
constexpr TileWords germanTile{.title = "Kalender",
                               .setup = "Buchungsseite einrichten",
                               .setupText = "Wählen Sie eine Adresse und Ihre Zeiten, und teilen Sie die Seite.",
                               .today = "Heute",
                               .week = "Diese Woche",
                               .requests = "Anfragen",
                               .next = "Als Nächstes: ",
                               .nothing = "Keine anstehenden Buchungen",
                               .nothingText = "Teilen Sie Ihre Seite, damit Gäste buchen."};

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
               {.summary = "Read the launchpad widget", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<HostWidgetQuery>& query) const
{
    const auto now = _tools.now();
    auto widget = Widget::answering(*query, caller, "overview", "calendar", now);
    const auto& words = query->locale.starts_with("de") ? germanTile : englishTile;
    widget.title = words.title;
    auto session = _tools.database().session();
    const auto host = findHost(session, caller, *query);
    if (!host)
    {
        widget.status = WidgetStatus::SetupRequired;
        widget.setup = WidgetSetup{words.setup, words.setupText, "/app"};
        return widget.fit();
    }
    const auto zone = _tools.zones.find(host->timeZone).value_or(TimeZone());
    const auto from = [&](Select<Booking>& bookings, Instant first, const std::vector<BookingStatus>& statuses) -> Select<Booking>&
    { return bookings.where(&Booking::hostId, host->hostId).where("start_at >= ?", first).whereIn(&Booking::status, statuses); };
    const auto taking = [&](LocalDate first, int days)
    {
        auto bookings = bookingTable.select(caller.tenant());
        return from(bookings, zone.startOf(first), {BookingStatus::Confirmed, BookingStatus::Completed, BookingStatus::NoShow})
            .where("start_at < ?", zone.startOf(first.plusDays(days)))
            .count(session);
    };
    auto upcoming = bookingTable.select(caller.tenant()), requests = bookingTable.select(caller.tenant());
    const auto next =
        from(upcoming, now, {BookingStatus::Confirmed, BookingStatus::Pending}).orderBy(&Booking::start).all(session, shownBookings);
    const auto waiting = from(requests, now, {BookingStatus::Pending}).count(session);
    const auto today = zone.dateOf(now);
    widget.metrics = {metric("today", words.today, taking(today, 1), "/app"),
                      metric("this_week", words.week, taking(today.firstOfWeek(host->weekStart), 7), "/app"),
                      metric("pending", words.requests, waiting, "/app/requests")};
    for (const auto& booking : next) widget.items.push_back(itemOf(booking));
    widget.counts.attention = waiting;
    widget.summary = next.empty() ? words.nothing : words.next + next.front().guest.name;
    if (next.empty())
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{words.nothing, words.nothingText};
    }
    return widget.fit();
}

} // namespace portico::calendar
