#include "slots/Slots.h"
#include "portico/TimeZones.h"
#include "slots/Starts.h"
#include "support/Suite.h"

#include "portico/Json.h"
#include "portico/Problem.h"

namespace portico::tests
{

using namespace calendar;

/// Cases that test vectors cannot express: owners of holds, event types, reasons, and near times. Mondays to Fridays 09:00 to 12:00 in
/// Berlin, which is 07:00 to 10:00 UTC, with slots of an hour. 1 June 2026 is a Monday.
class CalendarSlotsTest : public Suite<CalendarSlotsTest>
{
    SlotRules _rules;
    Taken _taken;
    Asking _asking;

    static Instant at(std::string_view text) { return *parseInstant(text); }
    static Instant monday(int hour, int minute = 0) { return at("2026-06-01T00:00:00Z") + std::chrono::minutes(60 * hour + minute); }
    static TakenSlot slot(Instant start, bool sameEventType = true)
    {
        return {sameEventType, {start, start + std::chrono::hours(1)}, {}, {}, 1};
    }

    std::string explained(Instant start) const
    {
        std::string words;
        for (const auto reason : explain(_rules, _taken, _asking, start).reasons)
            words += (words.empty() ? "" : " ") + std::string(toString(reason));
        return words;
    }

    static std::string shown(const std::vector<Slot>& slots)
    {
        std::string text;
        for (const auto& each : slots) text += (text.empty() ? "" : " ") + toString(each.start).substr(8, 8);
        return text;
    }

public:
    void setUp() override
    {
        _rules.zone = _rules.hostZone = *TimeZones().find("Europe/Berlin");
        _rules.duration = _rules.slotInterval = std::chrono::minutes(60);
        for (int weekday = 1; weekday <= 5; ++weekday)
            _rules.weeklyRules.push_back({weekday, *WallTime::parse("09:00"), *WallTime::parse("12:00")});
        _asking.now = at("2026-05-30T12:00:00Z");
    }

    TEST(ownHoldAndBookingDoNotBlock)
    {
        const auto hold = HoldId::make(Instant());
        const auto booking = BookingId::make(Instant());
        _taken.holds.push_back({slot(monday(7)), hold, at("2026-05-30T12:05:00Z")});
        _taken.bookings.push_back({slot(monday(8)), booking});
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(7)));
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(8)));
        _asking.ownHold = hold;
        _asking.ownBooking = booking;
        CHECK(openSlotAt(_rules, _taken, _asking, monday(7)));
        CHECK(openSlotAt(_rules, _taken, _asking, monday(8)));
        // Holds and bookings without an id have no owner.
        _asking = {_asking.now, 1, {}, {}};
        _taken.holds[0].holdId = {};
        _taken.bookings[0].bookingId = {};
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(7)));
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(8)));
    }

    TEST(ownBookingDoesNotCountTowardsLimits)
    {
        _rules.dailyLimit = 1;
        const auto booking = BookingId::make(Instant());
        _taken.bookings.push_back({slot(monday(8)), booking});
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(9)));
        _asking.ownBooking = booking;
        CHECK(openSlotAt(_rules, _taken, _asking, monday(9)));
    }

    TEST(countsTheSeatsThatAreLeft)
    {
        _rules.seatsPerSlot = 5;
        equal(5, openSlotAt(_rules, _taken, _asking, monday(8))->seatsLeft);
        auto three = slot(monday(8));
        three.seats = 3;
        _taken.bookings.push_back({three, {}});
        equal(2, openSlotAt(_rules, _taken, _asking, monday(8))->seatsLeft);
        _asking.seats = 2;
        CHECK(openSlotAt(_rules, _taken, _asking, monday(8)));
        _taken.holds.push_back({slot(monday(8)), HoldId::make(Instant()), Instant::max()});
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(8)));
        equal("held", explained(monday(8)));
        _asking.seats = 3;
        equal("booked held", explained(monday(8)));
    }

    TEST(opensOneStartAsTheListDoes)
    {
        _taken.busy.push_back({monday(8, 10), monday(8, 20)});
        const auto open = openSlots(_rules, _taken, _asking, monday(0), monday(24));
        equal("01T07:00 01T09:00", shown(open));
        equal(toString(monday(8)), toString(open[0].end));
        for (int minute = 0; minute < 24 * 60; minute += 5)
        {
            const auto start = monday(0, minute);
            const bool listed = start == open[0].start || start == open[1].start;
            equal(listed, openSlotAt(_rules, _taken, _asking, start).has_value());
        }
        CHECK(!openSlotAt(_rules, _taken, _asking, monday(7) + std::chrono::milliseconds(1)));
    }

    TEST(limitsTheHostOverAllEventTypes)
    {
        _taken.bookings.push_back({slot(monday(9), false), BookingId::make(Instant())});
        _rules.dailyLimit = _rules.weeklyLimit = 1;
        CHECK(openSlotAt(_rules, _taken, _asking, monday(7)));
        _rules.hostDailyLimit = 1;
        equal("daily_limit", explained(monday(7)));
        equal("", explained(monday(24 + 7)));
    }

    /// At 07:00 UTC it is Sunday still in Honolulu.
    TEST(countsDatesOfTheHost)
    {
        _rules.hostZone = *TimeZones().find("Pacific/Honolulu");
        _rules.window = {BookingWindow::Kind::DateRange, {}, LocalDate::parse("2026-06-01"), LocalDate::parse("2026-06-01")};
        equal("before_notice", explained(monday(9)));
        equal("", explained(monday(24 + 9)));
        _rules.dailyLimit = 1;
        _taken.bookings.push_back({slot(monday(24 + 7)), {}});
        equal("daily_limit", explained(monday(24 + 9)));
        _taken.busyDates.push_back({*LocalDate::parse("2026-06-01"), *LocalDate::parse("2026-06-02")});
        equal("busy daily_limit", explained(monday(24 + 9)));
        equal("before_notice", explained(monday(9)));
    }

    TEST(explainsEachReason)
    {
        equal("", explained(monday(7)));
        equal("outside_hours", explained(monday(6)));
        equal("outside_hours", explained(monday(9, 30)));
        equal("not_on_grid", explained(monday(7, 30)));
        _taken.busy.push_back({monday(7, 59), monday(8)});
        equal("busy", explained(monday(7)));
        _taken.bookings.push_back({slot(monday(8)), {}});
        equal("booked", explained(monday(8)));
        _taken.holds.push_back({slot(monday(9)), HoldId::make(Instant()), Instant::max()});
        equal("held", explained(monday(9)));

        _taken = {};
        _rules.minimumNotice = std::chrono::hours(24 * 3);
        equal("before_notice", explained(monday(7)));
        _rules.minimumNotice = {};
        _rules.window = {BookingWindow::Kind::RollingDays, 1, {}, {}};
        equal("after_window", explained(monday(7)));
        _rules.window = {BookingWindow::Kind::DateRange, {}, LocalDate::parse("2026-06-02"), LocalDate::parse("2026-06-02")};
        equal("before_notice", explained(monday(7)));
        equal("", explained(monday(24 + 7)));
        equal("after_window", explained(monday(48 + 7)));
    }

    TEST(explainsAllReasonsInOrder)
    {
        _rules.dailyLimit = 1;
        _rules.minimumNotice = std::chrono::hours(24 * 7);
        _rules.window = {BookingWindow::Kind::RollingDays, 1, {}, {}};
        _taken.busy.push_back({monday(0), monday(24)});
        _taken.bookings.push_back({slot(monday(7, 30)), {}});
        _taken.holds.push_back({slot(monday(7, 30)), HoldId::make(Instant()), Instant::max()});
        const std::string taken = "before_notice after_window busy booked held daily_limit";
        equal("outside_hours " + taken, explained(monday(6, 45)));
        equal(taken + " not_on_grid", explained(monday(7, 15)));
        equal(R"({"start":"2026-06-08T07:00:00.000Z","available":false,"reasons":["after_window"]})",
              toJson(explain(_rules, _taken, _asking, monday(24 * 7 + 7))));
    }

    TEST(explainsAsTheListDecides)
    {
        _rules.bufferBefore = std::chrono::minutes(10);
        _rules.slotInterval = std::chrono::minutes(20);
        _taken.busy.push_back({monday(7), monday(7, 25)});
        _taken.bookings.push_back({slot(monday(33)), {}});
        std::size_t open = 0;
        for (int minute = 0; minute < 48 * 60; minute += 10)
        {
            const auto explanation = explain(_rules, _taken, _asking, monday(0, minute));
            equal(explanation.available, openSlotAt(_rules, _taken, _asking, explanation.start).has_value());
            equal(explanation.available, explanation.reasons.empty());
            open += explanation.available ? 1U : 0U;
        }
        equal(openSlots(_rules, _taken, _asking, monday(0), monday(48)).size(), open);
        CHECK(open > 5);
    }

    TEST(findsTheNearest)
    {
        // Wanted: Tuesday 08:00 UTC, which is taken.
        _taken.bookings.push_back({slot(monday(32)), {}});
        equal("01T08:00 01T09:00 02T07:00 02T09:00 03T07:00", shown(nearestSlots(_rules, _taken, _asking, monday(32))));
        equal("02T07:00 02T09:00", shown(nearestSlots(_rules, _taken, _asking, monday(32), 2)));
        // Only later ones, and these far off.
        _asking.now = monday(30);
        _taken.busy.push_back({monday(0), monday(24 * 20)});
        equal("22T07:00 22T08:00 22T09:00 23T07:00 23T08:00", shown(nearestSlots(_rules, _taken, _asking, monday(32))));
        _taken.busy.push_back({monday(0), monday(24 * 60)});
        equal("", shown(nearestSlots(_rules, _taken, _asking, monday(32))));
    }

    TEST(readsBookingWindows)
    {
        for (const std::string text : {R"({"kind":"rollingDays","days":730})", R"({"kind":"rollingDays","days":0})",
                                       R"({"kind":"dateRange","from":"2026-06-01","to":"2026-06-01"})", R"({"kind":"unlimited"})"})
            equal(text, toJson(fromJson<BookingWindow>(text)));
        for (const std::string text :
             {R"({})", R"({"kind":"rollingDays"})", R"({"kind":"rollingDays","days":731})", R"({"kind":"rollingDays","days":-1})",
              R"({"kind":"rollingDays","days":1,"from":"2026-06-01"})", R"({"kind":"dateRange","from":"2026-06-01"})",
              R"({"kind":"dateRange","from":"2026-06-02","to":"2026-06-01"})",
              R"({"kind":"dateRange","from":"2026-02-30","to":"2026-06-01"})", R"({"kind":"unlimited","days":1})", R"({"kind":"never"})"})
            CPPUNIT_ASSERT_THROW_MESSAGE(text, fromJson<BookingWindow>(text), Problem);
    }
};
} // namespace portico::tests
