#include "calendar/BookingFixture.h"

#include <chrono>
#include <set>
#include <thread>

namespace portico::tests
{

/// Bookings where two things meet: two zones, a booking and the one that it is to become, a hold and what became of it.
class CalendarBookingRulesTest : public Suite<CalendarBookingRulesTest, BookingFixture>
{
    void setUp() override
    {
        BookingFixture::setUp();
        _schedule = "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId");
    }

    /// The hours are those of Kiritimati, fourteen hours ahead of UTC; the host's dates are those of Berlin.
    TEST(countsDatesOfTheHost)
    {
        workFarAway();
        put(ada, "/api/admin/event-types/" + intro, R"({"bookingWindow":{"kind":"rollingDays","days":0},"dailyLimit":2})");
        const auto today = freeBetween("2026-11-23T08:00:00Z", "2026-11-25T00:00:00Z");
        // From now until before midnight in Berlin, though it is tomorrow there from ten o'clock on.
        equal(30, today.count("/slots"));
        equal("2026-11-23T22:30:00.000Z", today.at("/slots/29/start"));
        equal(R"(["after_window"])", why("2026-11-23T23:00:00Z"));
        booked("2026-11-23T09:00:00Z");
        booked("2026-11-23T12:00:00Z");
        equal(R"(["daily_limit"])", why("2026-11-23T15:00:00Z"));
        put(ada, "/api/admin/event-types/" + intro, R"({"bookingWindow":{"kind":"unlimited","days":null}})");
        equal("[]", why("2026-11-23T23:00:00Z"));
    }

    TEST(writesTimesOfTheHost)
    {
        workFarAway();
        const auto confirmed = booked(nine);
        equal("Europe/Berlin", confirmed.at("/booking/hostTimeZone"));
        const auto file =
            guest(Method::Get, "/api/public/bookings/" + confirmed.at("/booking/bookingId") + "/calendar.ics?token=" + tokenOf(confirmed));
        CHECK(file.body.find("DTSTART;TZID=Europe/Berlin:20261124T090000\r\n") != std::string::npos);
        equal("Europe/Berlin", guest(Method::Get, "/api/public/ada/intro").at("/timeZone"));
        equal("Europe/Berlin", freeBetween(nine, "2026-11-25T00:00:00Z").at("/timeZone"));
    }

    TEST(movesWithinItsOwnLimit)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"dailyLimit":1})");
        const auto confirmed = booked(nine);
        equal("slot_unavailable", hold(ten).code());
        const auto held = made(hold(ten, "192.0.2.1", moving(confirmed)));
        equal("2026-11-24T10:00:00.000Z", movedTo(confirmed, held).at("/start"));
        // The guest's page offers the move and performs it.
        const auto page = "/public/bookings/" + confirmed.at("/booking/bookingId");
        const auto shown = guest(Method::Get, page + "?token=" + tokenOf(confirmed) + "&move=1&tz=UTC&date=2026-11-24");
        CHECK(shown.body.find(R"(value="2026-11-24T12:00:00.000Z")") != std::string::npos);
        equal(303, form(page + "/reschedule", "token=" + tokenOf(confirmed) + "&start=2026-11-24T12:00:00.000Z").status);
    }

    TEST(movesOverItself)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"slotIntervalMinutes":10})");
        const auto confirmed = booked(nine);
        const std::string later = "2026-11-24T08:10:00Z";
        equal("slot_unavailable", hold(later).code());
        const auto wrong = jsonWith(R"(,"moves":{"bookingId":"$","token":"x"})", confirmed.at("/booking/bookingId"));
        equal(404, hold(later, "192.0.2.1", wrong).status);
        const auto held = made(hold(later, "192.0.2.1", moving(confirmed)));
        // It is a time for that booking, and for no other.
        equal("slot_unavailable", confirm(held).code());
        const auto again = made(hold(later, "192.0.2.1", moving(confirmed)));
        equal("2026-11-24T08:10:00.000Z", movedTo(confirmed, again).at("/start"));
        equal(R"(["booked"])", why("2026-11-24T08:30:00Z"));
    }

    TEST(movesByAHoldOfTheHost)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"reschedulePolicy":{"guestMayReschedule":false,"untilMinutesBefore":0}})");
        const auto confirmed = booked(nine);
        const auto held = made(hold(ten));
        equal("policy", moveAsGuest(confirmed, held).code());
        const auto body = jsonWith(R"({"holdId":"$","holdToken":"$"})", held.at("/holdId"), held.at("/holdToken"));
        const auto moved = step(confirmed.at("/booking/bookingId"), "reschedule", body);
        equal(200, moved.status, moved.body);
        equal("host", moved.at("/previousStart/0/by"));
    }

    TEST(movesToDurationsThatAreOffered)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"durationOptions":[45]})");
        const auto id = booked(nine).at("/booking/bookingId");
        const auto refused = step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z","durationMinutes":50})");
        equal("400 not_offered", std::to_string(refused.status) + " " + refused.at("/errors/0/code"));
        const auto longer = step(id, "reschedule", R"({"start":"2026-11-24T09:30:00Z","durationMinutes":45})");
        equal("2026-11-24T10:15:00.000Z", longer.at("/end"));
        // The booking may keep its length, although it is no longer offered.
        put(ada, "/api/admin/event-types/" + intro, R"({"durationOptions":[]})");
        equal(200, step(id, "reschedule", R"({"start":"2026-11-24T08:00:00Z","durationMinutes":45})").status);
    }

    TEST(booksEveryDurationThatIsHeld)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"durationOptions":[45]})");
        // The second slot of the 45-minute grid; 30-minute slots begin at other times.
        const auto held = made(hold("2026-11-24T08:45:00Z", "192.0.2.1", R"(,"durationMinutes":45)"));
        equal("2026-11-24T09:30:00.000Z", made(confirm(held)).at("/booking/end"));
    }

    TEST(knowsTheHoldsOfItsHost)
    {
        const auto colleague = newMember(ada.organizationId);
        newHost(colleague, "bob");
        made(post(colleague, "/api/admin/event-types", R"({"slug":"intro","title":"Bob's"})"));
        const auto held = made(hold(nine));
        const auto body = jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"G","email":"g@example.org","timeZone":"UTC"}})",
                                   held.at("/holdId"), held.at("/holdToken"));
        const auto bobs = [&] { return guest(Method::Post, "/api/public/bob/intro/confirm", body).status; };
        equal(404, bobs());
        made(confirm(held));
        equal(404, bobs());
        const auto late = made(hold(ten));
        clock().advance(std::chrono::minutes(6));
        equal("hold_expired", confirm(late).code());
    }

    TEST(answersARepeatedConfirmationOfWhatIsGone)
    {
        const auto held = made(hold(nine));
        const auto first = made(confirm(held));
        put(ada, "/api/admin/event-types/" + intro, R"({"visibility":"disabled"})");
        equal(200, confirm(held).status);
        equal(200, del(ada, "/api/admin/event-types/" + intro).status);
        const auto second = confirm(held);
        equal(200, second.status, second.body);
        equal(first.at("/manageUrl"), second.at("/manageUrl"));
        const auto guessed =
            jsonWith(R"({"holdId":"$","holdToken":"x","guest":{"name":"G","email":"g@example.org","timeZone":"UTC"}})", held.at("/holdId"));
        equal("hold_token_invalid", guest(Method::Post, "/api/public/ada/intro/confirm", guessed).code());
    }

    /// A single time reads only the bookings that can block it: the longest bookings with the longest buffers, on either side.
    TEST(judgesOneTimeAsAllOfThem)
    {
        workAlways("Europe/Berlin");
        put(ada, "/api/admin/event-types/" + intro,
            R"({"slotIntervalMinutes":15,"minimumNoticeMinutes":0,"bufferBeforeMinutes":45,"bufferAfterMinutes":90})");
        newType(R"({"slug":"long","title":"Long","durationMinutes":1440,"minimumNoticeMinutes":0,"bufferBeforeMinutes":480,)"
                R"("bufferAfterMinutes":480})");
        newType(R"({"slug":"tight","title":"Tight","durationMinutes":5,"minimumNoticeMinutes":0})");
        booked("2026-11-25T12:00:00Z", "tight");
        booked("2026-11-26T23:00:00Z", "long");
        for (const auto* limit : {"{}", R"({"weeklyLimit":5})"})
        {
            put(ada, "/api/admin/event-types/" + intro, limit);
            const auto free = freeBetween("2026-11-25T00:00:00Z", "2026-11-29T00:00:00Z");
            std::set<std::string> offered;
            for (std::size_t i = 0; i < free.count("/slots"); ++i) offered.insert(free.at("/slots/" + std::to_string(i) + "/start"));
            for (auto at = *parseInstant("2026-11-25T00:00:00Z"); at < *parseInstant("2026-11-29T00:00:00Z");
                 at += std::chrono::minutes(15))
            {
                const auto start = toString(at);
                equal(std::string(offered.contains(start) ? "[]" : R"(["booked"])"), why(start), start);
            }
            // 12:05 and 45 or 90 minutes, 15:00 to 07:00 of the next day but one: the times next to them are free.
            for (const auto* start :
                 {"2026-11-25T10:00:00.000Z", "2026-11-25T13:00:00.000Z", "2026-11-26T14:30:00.000Z", "2026-11-28T07:00:00.000Z"})
                CPPUNIT_ASSERT_MESSAGE(start, offered.contains(start));
            for (const auto* start :
                 {"2026-11-25T10:15:00.000Z", "2026-11-25T12:45:00.000Z", "2026-11-26T14:45:00.000Z", "2026-11-28T06:45:00.000Z"})
                CPPUNIT_ASSERT_MESSAGE(start, !offered.contains(start));
        }
    }

    TEST(explainsAPause)
    {
        put(ada, "/api/admin/host", R"({"status":"paused"})");
        const auto told = guest(Method::Get, "/api/public/ada/intro/explain?start=" + nine);
        equal(R"(false ["paused"])", told.at("/available") + " " + told.at("/reasons"));
        const auto own = get(ada, "/api/admin/availability?eventTypeId=" + intro + "&from=" + nine + "&to=" + ten);
        equal(4, own.count("/reasons"));
        equal(R"(["paused"])", own.at("/reasons/0/reasons"));
    }

    /// A change of hours waits until a concurrent booking by the old hours has ended.
    TEST(changesHoursInTurn)
    {
        const auto queue = "queue:" + get(ada, "/api/admin/host").at("/hostId");
        std::jthread other;
        host->context().state().withLock(queue, std::chrono::seconds(10),
                                         [&]
                                         {
                                             other = std::jthread([&] { put(ada, _schedule, R"({"name":"Later"})"); });
                                             for (int time = 0; time < 200; ++time) equal("1", get(ada, _schedule).at("/version"));
                                         });
        other.join();
        equal("2", get(ada, _schedule).at("/version"));
    }

    void workFarAway() const { workAlways("Pacific/Kiritimati"); }
    void workAlways(const std::string& zone) const
    {
        std::string rules;
        for (int weekday = 1; weekday <= 7; ++weekday)
            rules += (rules.empty() ? "" : ",") + (jsonWith(R"({"weekday":$)", weekday)) + R"(,"start":"00:00","end":"24:00"})";
        equal(200, put(ada, _schedule, jsonWith(R"({"timeZone":"$","weeklyRules":[$]})", zone, rules)).status);
    }
    testing::TestAnswer freeBetween(const std::string& from, const std::string& to) const
    {
        return guest(Method::Get, "/api/public/ada/intro/availability?from=" + from + "&to=" + to);
    }
    static std::string moving(const testing::TestAnswer& confirmed)
    {
        return jsonWith(R"(,"moves":{"bookingId":"$","token":"$"})", confirmed.at("/booking/bookingId"), tokenOf(confirmed));
    }
    testing::TestAnswer moveAsGuest(const testing::TestAnswer& confirmed, const testing::TestAnswer& held) const
    {
        return guest(
            Method::Post, "/api/public/bookings/" + confirmed.at("/booking/bookingId") + "/reschedule",
            jsonWith(R"({"token":"$","holdId":"$","holdToken":"$"})", tokenOf(confirmed), held.at("/holdId"), held.at("/holdToken")));
    }
    testing::TestAnswer movedTo(const testing::TestAnswer& confirmed, const testing::TestAnswer& held) const
    {
        auto moved = moveAsGuest(confirmed, held);
        equal(200, moved.status, moved.body);
        return moved;
    }
    testing::TestAnswer form(const std::string& target, const std::string& body) const
    {
        return host->call({Method::Post, target, body, {{"Content-Type", "application/x-www-form-urlencoded"}}, Caller::nobody()});
    }

    const std::string nine = "2026-11-24T08:00:00Z", ten = "2026-11-24T10:00:00Z";
    std::string _schedule;
};
} // namespace portico::tests
