#include "slots/Slots.h"
#include "portico/TimeZones.h"
#include "slots/Starts.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

using namespace calendar;

/// What vectors cannot say: whose hold it is, which event type, why not, and what is near. Mondays to Fridays 09:00 to 12:00 in Berlin,
/// which is 07:00 to 10:00 UTC, slots of an hour; 1 June 2026 is a Monday.
class CalendarSlotsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(CalendarSlotsTest);
    CPPUNIT_TEST(ownHoldAndBookingDoNotBlock);
    CPPUNIT_TEST(ownBookingDoesNotCountTowardsLimits);
    CPPUNIT_TEST(countsTheSeatsThatAreLeft);
    CPPUNIT_TEST(opensOneStartAsTheListDoes);
    CPPUNIT_TEST(limitsTheHostOverAllEventTypes);
    CPPUNIT_TEST(countsDatesOfTheHost);
    CPPUNIT_TEST(explainsEachReason);
    CPPUNIT_TEST(explainsAllReasonsInOrder);
    CPPUNIT_TEST(explainsAsTheListDecides);
    CPPUNIT_TEST(findsTheNearest);
    CPPUNIT_TEST(readsBookingWindows);
    CPPUNIT_TEST_SUITE_END();

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

    void ownHoldAndBookingDoNotBlock()
    {
        const auto hold = HoldId::make(Instant());
        const auto booking = BookingId::make(Instant());
        _taken.holds.push_back({slot(monday(7)), hold, at("2026-05-30T12:05:00Z")});
        _taken.bookings.push_back({slot(monday(8)), booking});
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(7)));
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(8)));
        _asking.ownHold = hold;
        _asking.ownBooking = booking;
        CPPUNIT_ASSERT(openSlotAt(_rules, _taken, _asking, monday(7)));
        CPPUNIT_ASSERT(openSlotAt(_rules, _taken, _asking, monday(8)));
        // Nobody owns those without an id.
        _asking = {_asking.now, 1, {}, {}};
        _taken.holds[0].holdId = {};
        _taken.bookings[0].bookingId = {};
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(7)));
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(8)));
    }

    void ownBookingDoesNotCountTowardsLimits()
    {
        _rules.dailyLimit = 1;
        const auto booking = BookingId::make(Instant());
        _taken.bookings.push_back({slot(monday(8)), booking});
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(9)));
        _asking.ownBooking = booking;
        CPPUNIT_ASSERT(openSlotAt(_rules, _taken, _asking, monday(9)));
    }

    void countsTheSeatsThatAreLeft()
    {
        _rules.seatsPerSlot = 5;
        CPPUNIT_ASSERT_EQUAL(5, openSlotAt(_rules, _taken, _asking, monday(8))->seatsLeft);
        auto three = slot(monday(8));
        three.seats = 3;
        _taken.bookings.push_back({three, {}});
        CPPUNIT_ASSERT_EQUAL(2, openSlotAt(_rules, _taken, _asking, monday(8))->seatsLeft);
        _asking.seats = 2;
        CPPUNIT_ASSERT(openSlotAt(_rules, _taken, _asking, monday(8)));
        _taken.holds.push_back({slot(monday(8)), HoldId::make(Instant()), Instant::max()});
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(8)));
        CPPUNIT_ASSERT_EQUAL(std::string("held"), explained(monday(8)));
        _asking.seats = 3;
        CPPUNIT_ASSERT_EQUAL(std::string("booked held"), explained(monday(8)));
    }

    void opensOneStartAsTheListDoes()
    {
        _taken.busy.push_back({monday(8, 10), monday(8, 20)});
        const auto open = openSlots(_rules, _taken, _asking, monday(0), monday(24));
        CPPUNIT_ASSERT_EQUAL(std::string("01T07:00 01T09:00"), shown(open));
        CPPUNIT_ASSERT_EQUAL(toString(monday(8)), toString(open[0].end));
        for (int minute = 0; minute < 24 * 60; minute += 5)
        {
            const auto start = monday(0, minute);
            const bool listed = start == open[0].start || start == open[1].start;
            CPPUNIT_ASSERT_EQUAL(listed, openSlotAt(_rules, _taken, _asking, start).has_value());
        }
        CPPUNIT_ASSERT(!openSlotAt(_rules, _taken, _asking, monday(7) + std::chrono::milliseconds(1)));
    }

    void limitsTheHostOverAllEventTypes()
    {
        _taken.bookings.push_back({slot(monday(9), false), BookingId::make(Instant())});
        _rules.dailyLimit = _rules.weeklyLimit = 1;
        CPPUNIT_ASSERT(openSlotAt(_rules, _taken, _asking, monday(7)));
        _rules.hostDailyLimit = 1;
        CPPUNIT_ASSERT_EQUAL(std::string("daily_limit"), explained(monday(7)));
        CPPUNIT_ASSERT_EQUAL(std::string(), explained(monday(24 + 7)));
    }

    /// At 07:00 UTC it is Sunday still in Honolulu.
    void countsDatesOfTheHost()
    {
        _rules.hostZone = *TimeZones().find("Pacific/Honolulu");
        _rules.window = {BookingWindow::Kind::DateRange, {}, LocalDate::parse("2026-06-01"), LocalDate::parse("2026-06-01")};
        CPPUNIT_ASSERT_EQUAL(std::string("before_notice"), explained(monday(9)));
        CPPUNIT_ASSERT_EQUAL(std::string(), explained(monday(24 + 9)));
        _rules.dailyLimit = 1;
        _taken.bookings.push_back({slot(monday(24 + 7)), {}});
        CPPUNIT_ASSERT_EQUAL(std::string("daily_limit"), explained(monday(24 + 9)));
        _taken.busyDates.push_back({*LocalDate::parse("2026-06-01"), *LocalDate::parse("2026-06-02")});
        CPPUNIT_ASSERT_EQUAL(std::string("busy daily_limit"), explained(monday(24 + 9)));
        CPPUNIT_ASSERT_EQUAL(std::string("before_notice"), explained(monday(9)));
    }

    void explainsEachReason()
    {
        CPPUNIT_ASSERT_EQUAL(std::string(), explained(monday(7)));
        CPPUNIT_ASSERT_EQUAL(std::string("outside_hours"), explained(monday(6)));
        CPPUNIT_ASSERT_EQUAL(std::string("outside_hours"), explained(monday(9, 30)));
        CPPUNIT_ASSERT_EQUAL(std::string("not_on_grid"), explained(monday(7, 30)));
        _taken.busy.push_back({monday(7, 59), monday(8)});
        CPPUNIT_ASSERT_EQUAL(std::string("busy"), explained(monday(7)));
        _taken.bookings.push_back({slot(monday(8)), {}});
        CPPUNIT_ASSERT_EQUAL(std::string("booked"), explained(monday(8)));
        _taken.holds.push_back({slot(monday(9)), HoldId::make(Instant()), Instant::max()});
        CPPUNIT_ASSERT_EQUAL(std::string("held"), explained(monday(9)));

        _taken = {};
        _rules.minimumNotice = std::chrono::hours(24 * 3);
        CPPUNIT_ASSERT_EQUAL(std::string("before_notice"), explained(monday(7)));
        _rules.minimumNotice = {};
        _rules.window = {BookingWindow::Kind::RollingDays, 1, {}, {}};
        CPPUNIT_ASSERT_EQUAL(std::string("after_window"), explained(monday(7)));
        _rules.window = {BookingWindow::Kind::DateRange, {}, LocalDate::parse("2026-06-02"), LocalDate::parse("2026-06-02")};
        CPPUNIT_ASSERT_EQUAL(std::string("before_notice"), explained(monday(7)));
        CPPUNIT_ASSERT_EQUAL(std::string(), explained(monday(24 + 7)));
        CPPUNIT_ASSERT_EQUAL(std::string("after_window"), explained(monday(48 + 7)));
    }

    void explainsAllReasonsInOrder()
    {
        _rules.dailyLimit = 1;
        _rules.minimumNotice = std::chrono::hours(24 * 7);
        _rules.window = {BookingWindow::Kind::RollingDays, 1, {}, {}};
        _taken.busy.push_back({monday(0), monday(24)});
        _taken.bookings.push_back({slot(monday(7, 30)), {}});
        _taken.holds.push_back({slot(monday(7, 30)), HoldId::make(Instant()), Instant::max()});
        const std::string taken = "before_notice after_window busy booked held daily_limit";
        CPPUNIT_ASSERT_EQUAL("outside_hours " + taken, explained(monday(6, 45)));
        CPPUNIT_ASSERT_EQUAL(taken + " not_on_grid", explained(monday(7, 15)));
        CPPUNIT_ASSERT_EQUAL(R"({"start":"2026-06-08T07:00:00.000Z","available":false,"reasons":["after_window"]})" + std::string(),
                             toJson(explain(_rules, _taken, _asking, monday(24 * 7 + 7))));
    }

    void explainsAsTheListDecides()
    {
        _rules.bufferBefore = std::chrono::minutes(10);
        _rules.slotInterval = std::chrono::minutes(20);
        _taken.busy.push_back({monday(7), monday(7, 25)});
        _taken.bookings.push_back({slot(monday(33)), {}});
        std::size_t open = 0;
        for (int minute = 0; minute < 48 * 60; minute += 10)
        {
            const auto explanation = explain(_rules, _taken, _asking, monday(0, minute));
            CPPUNIT_ASSERT_EQUAL(explanation.available, openSlotAt(_rules, _taken, _asking, explanation.start).has_value());
            CPPUNIT_ASSERT_EQUAL(explanation.available, explanation.reasons.empty());
            open += explanation.available ? 1U : 0U;
        }
        CPPUNIT_ASSERT_EQUAL(openSlots(_rules, _taken, _asking, monday(0), monday(48)).size(), open);
        CPPUNIT_ASSERT(open > 5);
    }

    void findsTheNearest()
    {
        // Wanted: Tuesday 08:00 UTC, which is taken.
        _taken.bookings.push_back({slot(monday(32)), {}});
        CPPUNIT_ASSERT_EQUAL(std::string("01T08:00 01T09:00 02T07:00 02T09:00 03T07:00"),
                             shown(nearestSlots(_rules, _taken, _asking, monday(32))));
        CPPUNIT_ASSERT_EQUAL(std::string("02T07:00 02T09:00"), shown(nearestSlots(_rules, _taken, _asking, monday(32), 2)));
        // Only later ones, and these far off.
        _asking.now = monday(30);
        _taken.busy.push_back({monday(0), monday(24 * 20)});
        CPPUNIT_ASSERT_EQUAL(std::string("22T07:00 22T08:00 22T09:00 23T07:00 23T08:00"),
                             shown(nearestSlots(_rules, _taken, _asking, monday(32))));
        _taken.busy.push_back({monday(0), monday(24 * 60)});
        CPPUNIT_ASSERT_EQUAL(std::string(), shown(nearestSlots(_rules, _taken, _asking, monday(32))));
    }

    void readsBookingWindows()
    {
        for (const std::string text : {R"({"kind":"rollingDays","days":730})", R"({"kind":"rollingDays","days":0})",
                                       R"({"kind":"dateRange","from":"2026-06-01","to":"2026-06-01"})", R"({"kind":"unlimited"})"})
            CPPUNIT_ASSERT_EQUAL(text, toJson(fromJson<BookingWindow>(text)));
        for (const std::string text :
             {R"({})", R"({"kind":"rollingDays"})", R"({"kind":"rollingDays","days":731})", R"({"kind":"rollingDays","days":-1})",
              R"({"kind":"rollingDays","days":1,"from":"2026-06-01"})", R"({"kind":"dateRange","from":"2026-06-01"})",
              R"({"kind":"dateRange","from":"2026-06-02","to":"2026-06-01"})",
              R"({"kind":"dateRange","from":"2026-02-30","to":"2026-06-01"})", R"({"kind":"unlimited","days":1})", R"({"kind":"never"})"})
            CPPUNIT_ASSERT_THROW_MESSAGE(text, fromJson<BookingWindow>(text), Problem);
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarSlotsTest);

} // namespace portico::tests
