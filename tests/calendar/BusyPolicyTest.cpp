#include "calendar/BookingFixture.h"

#include "portico/testing/FakeHttpClient.h"

namespace portico::tests
{

/// Bookings while the host's external calendars are unavailable.
class CalendarBusyPolicyTest : public Suite<CalendarBusyPolicyTest, BookingFixture>
{
    void setUp() override
    {
        BookingFixture::setUp();
        answer({});
        made(post(ada, "/api/admin/external-calendars", R"({"kind":"ics_feed","url":"https://feed.example/ada.ics"})"));
        host->context().jobs().runDue();
        equal("false", freeOn("2026-11-24").at("/busyStale"));
    }

    TEST(asksOnceMoreBeforeABooking)
    {
        const auto held = made(hold(nine));
        clock().advance(std::chrono::minutes(4));
        const auto other = made(hold("2026-11-24T10:00:00Z", "192.0.2.2"));
        clock().advance(std::chrono::minutes(2));
        // A new event appears in the external calendar, which was read more than five minutes ago.
        answer("BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20261124T100000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n");
        equal("slot_unavailable", confirm(other).code());
        equal(R"(["busy"])", why("2026-11-24T10:30:00Z"));
        equal("hold_expired", confirm(held).code());
    }

    TEST(asksOnceMoreBeforeABookingMoves)
    {
        const auto booking = booked(nine);
        const auto move = [&](const std::string& start)
        {
            const auto held = made(hold(start, "192.0.2.2"));
            clock().advance(std::chrono::minutes(2));
            return guest(
                Method::Post, "/api/public/bookings/" + booking.at("/booking/bookingId") + "/reschedule",
                jsonWith(R"({"token":"$","holdId":"$","holdToken":"$"})", tokenOf(booking), held.at("/holdId"), held.at("/holdToken")));
        };
        clock().advance(std::chrono::minutes(4));
        // A new event appears in the external calendar, which was read six minutes ago when the guest sends the request.
        answer("BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20261124T100000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n");
        equal("slot_unavailable", move("2026-11-24T10:00:00Z").code());
        // If the calendar is away, strict hosts accept the move too.
        equal(200, put(ada, "/api/admin/host", R"({"externalBusyPolicy":"strict"})").status);
        host->context().http().respond(500);
        clock().advance(std::chrono::minutes(4));
        equal(200, move("2026-11-24T12:00:00Z").status);
    }

    TEST(readsCalendarsInTheHostsNewZoneBeforeABooking)
    {
        answer("BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20261124T090000\r\nDURATION:PT1H\r\nEND:VEVENT\r\n");
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal(R"(["busy"])", why(nine));
        const auto held = made(hold("2026-11-24T09:00:00Z"));
        equal(200, put(ada, "/api/admin/host", R"({"timeZone":"Europe/London"})").status);
        equal("slot_unavailable", confirm(held).code());
    }

    TEST(goesOnForLenientHosts)
    {
        host->context().http().respond(500);
        clock().advance(std::chrono::minutes(6));
        equal("true", freeOn("2026-11-24").at("/busyStale"));
        booked(nine);
    }

    TEST(waitsForStrictHosts)
    {
        put(ada, "/api/admin/host", R"({"externalBusyPolicy":"strict","holdSeconds":900})");
        host->context().http().respond(500);
        clock().advance(std::chrono::minutes(6));
        const auto held = made(hold(nine));
        const auto rejected = confirm(held);
        refused(rejected, 503, "calendar_unavailable");
        // The failure keeps the hold and the guest's input.
        answer({});
        clock().advance(std::chrono::minutes(12));
        host->context().jobs().runDue();
        made(confirm(held));
    }

    TEST(booksByWhatHoldsOnceCalendarsWereAsked)
    {
        put(ada, "/api/admin/host", R"({"holdSeconds":900})");
        const auto brief = newType(R"({"slug":"brief","title":"Brief"})");
        const auto closed = made(hold(nine));
        const auto asked = made(hold("2026-11-25T08:00:00Z", "192.0.2.2"));
        const auto schedule = "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId");
        meanwhile([&] { return put(ada, schedule, R"({"dateOverrides":[{"date":"2026-11-24","closed":true}]})"); });
        equal("slot_unavailable", confirm(closed).code());
        meanwhile([&] { return put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"title":"Renamed"})"); });
        const auto pending = made(confirm(asked));
        equal("pending Renamed", pending.at("/booking/status") + " " + pending.at("/booking/eventType/title"));
        const auto gone = made(hold("2026-11-25T10:00:00Z", "192.0.2.3", {}, "brief"));
        meanwhile([&] { return del(ada, "/api/admin/event-types/" + brief); });
        equal(404, confirm(gone, {}, "brief").status);
    }

    TEST(approvesWhatIsStillFree)
    {
        newType(R"({"slug":"ask","title":"Ask","requiresApproval":true})");
        const auto id = booked(nine, "ask").at("/booking/bookingId");
        // Hours that were changed since are the host's to pass over; another calendar is not.
        const auto schedule = get(ada, "/api/admin/host").at("/defaultScheduleId");
        put(ada, "/api/admin/schedules/" + schedule, R"({"weeklyRules":[{"weekday":1,"start":"10:00","end":"11:00"}]})");
        answer("BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20261124T081500Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n");
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal("slot_unavailable", step(id, "approve").code());
        equal("pending", get(ada, "/api/admin/bookings/" + id).at("/status"));
        answer({});
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal("confirmed", step(id, "approve").at("/status"));
    }

    TEST(showsHostsWhatKeepsThemBusy)
    {
        // Two that overlap, a whole date, and one out of sight.
        answer("BEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Dentist\r\nDTSTART:20261124T083000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n"
               "BEGIN:VEVENT\r\nUID:b\r\nDTSTART:20261124T090000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n"
               "BEGIN:VEVENT\r\nUID:c\r\nDTSTART;VALUE=DATE:20261125\r\nEND:VEVENT\r\n"
               "BEGIN:VEVENT\r\nUID:d\r\nDTSTART:20261127T090000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n");
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        const auto seen = get(ada, "/api/admin/availability?eventTypeId=" + intro + "&from=2026-11-24T00:00:00Z&to=2026-11-25T12:00:00Z");
        equal(R"([{"start":"2026-11-24T08:30:00.000Z","end":"2026-11-24T10:00:00.000Z"},)"
              R"({"start":"2026-11-24T23:00:00.000Z","end":"2026-11-25T12:00:00.000Z"}])",
              seen.at("/busy"));
        // The rest is what guests get.
        const auto free = guest(Method::Get, "/api/public/ada/intro/availability?from=2026-11-24T00:00:00Z&to=2026-11-25T12:00:00Z");
        for (const auto* member : {"/handle", "/eventType", "/timeZone", "/from", "/to", "/durationMinutes", "/slots", "/byDate",
                                   "/nextAvailable", "/generatedAt", "/busyStale"})
            equal(free.at(member), seen.at(member), member);
        equal(R"({"start":"2026-11-24T08:30:00.000Z","available":false,"reasons":["busy"]})", seen.at("/reasons/0"));
        CHECK(seen.body.find("Dentist") == std::string::npos);
    }

    /// A change of the host's, made while a booking asks the other calendar.
    void meanwhile(const std::function<testing::TestAnswer()>& change) const
    {
        clock().advance(std::chrono::minutes(6));
        host->context().http().answer(
            [change](const HttpClient::Request&) -> HttpClient::Response
            {
                equal(200, change().status);
                HttpClient::Response read;
                read.body = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n";
                read.status = 200;
                return read;
            });
    }
    void answer(const std::string& events) const
    {
        host->context().http().respond(200, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + events + "END:VCALENDAR\r\n");
    }

    const std::string nine = "2026-11-24T08:00:00Z";
};
} // namespace portico::tests
