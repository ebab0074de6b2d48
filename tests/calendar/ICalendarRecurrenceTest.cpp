#include "calendar/SourceFolders.h"
#include "support/Suite.h"

#include "icalendar/RecurrenceRule.h"
#include "icalendar/Values.h"

#include <fstream>
#include <sstream>

namespace portico::tests
{

using namespace calendar::icalendar;

namespace
{
WallSeconds wall(const std::string& text) { return parseTime(text)->wall; }

/// Expands a rule from Monday 2026-11-02 at nine.
std::vector<WallSeconds> from2026(const std::string& rule, const std::string& to, RecurrenceBudget budget = {})
{
    const auto parsed = RecurrenceRule::parse(rule);
    CPPUNIT_ASSERT_MESSAGE(rule, parsed.has_value());
    return occurrences(*parsed, {wall("20261102T090000"), false, wall("20261101"), wall(to)}, budget);
}
} // namespace

class ICalendarRecurrenceTest : public Suite<ICalendarRecurrenceTest>
{
    TEST(findsWhatAnotherImplementationFinds)
    {
        std::ifstream file(calendarTestFolder() + "/recurrence-vectors.txt");
        int seen = 0;
        for (std::string line; std::getline(file, line); ++seen)
        {
            std::istringstream words(line);
            std::string rule, start, from, to;
            words >> rule >> start >> from >> to;
            auto parsed = RecurrenceRule::parse(rule);
            CPPUNIT_ASSERT_MESSAGE(line, parsed.has_value());
            RecurrenceSpan span{wall(start), false, wall(from), wall(to)};
            if (parsed->until) span.until = parsed->until->time;
            std::vector<WallSeconds> expected;
            for (std::string word; words >> word;) expected.push_back(wall(word));
            RecurrenceBudget budget;
            CPPUNIT_ASSERT_MESSAGE(line, occurrences(*parsed, span, budget) == expected);
        }
        equal(400, seen);
    }

    TEST(readsTimesDurationsAndOffsets)
    {
        CHECK(parseTime("20261123") == (WrittenTime{wall("20261123T000000"), true, false}));
        CHECK(parseTime("20261123T090000Z") == (WrittenTime{wall("20261123T090000"), false, true}));
        CHECK(wall("20161231T235960") == wall("20161231T235959"));
        for (const auto* text : {"", "2026112", "20260230", "20261123Z", "20261123T", "20261123T250000", "20261123T240001",
                                 "20261123T09000a", "20261123T090000+25", "2026-13-01"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseTime(text));
        for (const auto& [text, basic] :
             std::initializer_list<std::pair<const char*, const char*>>{{"20261122T240000", "20261123T000000"},
                                                                        {"20261123T0900", "20261123T090000"},
                                                                        {"20261123T09:00:00", "20261123T090000"},
                                                                        {"2026-11-23T09:00:00.000", "20261123T090000"},
                                                                        {"2026-11-23 09:00", "20261123T090000"},
                                                                        {"20261123T100000+0100", "20261123T090000"}})
            CPPUNIT_ASSERT_MESSAGE(text, parseTime(text) && parseTime(text)->wall == wall(basic) && parseTime(text)->repaired);
        CHECK(parseTime("20261123T100000+01:00")->isUtc);
        CHECK(!parseTime("20261123T090000Z")->repaired);
        CHECK(parseDuration("P1DT2H3M4S") == (WrittenDuration{std::chrono::days(1), std::chrono::seconds(7384)}));
        CHECK(parseDuration("-P2W") == (WrittenDuration{std::chrono::days(-14), std::chrono::seconds(0)}));
        for (const auto* text : {"", "P", "PT", "1H", "PTT1H", "P99999999W", "PT1", "P1DT", "P1Y", "PT1.H", "PT1H30"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseDuration(text));
        for (const auto& [text, seconds] : std::initializer_list<std::pair<const char*, int>>{
                 {"P90M", 5400}, {"P1H30M", 5400}, {"pt1h30m", 5400}, {"PT1.5H", 5400}, {"PT30M1H", 5400}, {"P0.0625D", 5400}})
            CPPUNIT_ASSERT_MESSAGE(text,
                                   parseDuration(text) == (WrittenDuration{std::chrono::days(0), std::chrono::seconds(seconds), true}));
        CHECK(parseOffset("-0330") == std::chrono::seconds(-12600));
        for (const auto* text : {"0100", "+01", "+01:00", "+010000"})
            CPPUNIT_ASSERT_MESSAGE(text, parseOffset(text) == std::chrono::seconds(3600));
        for (const auto* text : {"", "+2500", "+1", "+01:0", "01:", "+0160"}) CPPUNIT_ASSERT_MESSAGE(text, !parseOffset(text));
    }

    TEST(refusesRulesThatTheStandardDoesNotAllow)
    {
        for (const auto* rule : {"", "COUNT=1", "FREQ=FORTNIGHTLY", "FREQ", "FREQ=", "FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;BYEASTER=1",
                                 "RSCALE=CHINESE;FREQ=YEARLY"})
            CPPUNIT_ASSERT_MESSAGE(rule, !RecurrenceRule::parse(rule));
        CHECK(RecurrenceRule::parse("freq=daily;byday=+1mo,tu;"));
    }

    /// Each is the rule behind it, with the parts that are named.
    TEST(passesOverPartsThatSayNothing)
    {
        struct Case
        {
            const char* written;
            const char* meant;
            const char* ignored;
        };
        for (const auto& [written, meant, ignored] : {Case{"RSCALE=GREGORIAN;FREQ=DAILY;SKIP=OMIT", "FREQ=DAILY", ""},
                                                      Case{"FREQ=DAILY;BYDAY=;X-EVOLUTION=1", "FREQ=DAILY", "BYDAY= X-EVOLUTION=1"},
                                                      Case{" freq = weekly ; byday = mo , tu ", "FREQ=WEEKLY;BYDAY=MO,TU", ""},
                                                      Case{"RRULE:FREQ=DAILY;COUNT=3", "FREQ=DAILY;COUNT=3", ""},
                                                      Case{"FREQ=DAILY;INTERVAL=0", "FREQ=DAILY", "INTERVAL=0"},
                                                      Case{"FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY", "INTERVAL=-1"},
                                                      Case{"FREQ=DAILY;COUNT=0", "FREQ=DAILY", "COUNT=0"},
                                                      Case{"FREQ=DAILY;COUNT=3;COUNT=5", "FREQ=DAILY;COUNT=3", "COUNT=5"},
                                                      Case{"FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY", "FREQ=DAILY"},
                                                      Case{"FREQ=WEEKLY;BYDAY=MO;BYDAY=TU", "FREQ=WEEKLY;BYDAY=MO,TU", ""},
                                                      Case{"FREQ=DAILY;BYHOUR=24", "FREQ=DAILY", "BYHOUR=24"},
                                                      Case{"FREQ=DAILY;BYMONTHDAY=0,2", "FREQ=DAILY;BYMONTHDAY=2", "BYMONTHDAY=0,2"},
                                                      Case{"FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", "FREQ=MONTHLY;BYDAY=MO", "BYSETPOS=367"},
                                                      Case{"FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "FREQ=MONTHLY;BYDAY=MO", "BYSETPOS=0"},
                                                      Case{"FREQ=MONTHLY;BYDAY=54MO,1TU", "FREQ=MONTHLY;BYDAY=1TU", "BYDAY=54MO,1TU"},
                                                      Case{"FREQ=MONTHLY;BYDAY=0MO 1 TU", "FREQ=MONTHLY;BYDAY=MO,1TU", ""},
                                                      Case{"\"FREQ=WEEKLY\\;BYDAY=MO\\,TU\"", "FREQ=WEEKLY;BYDAY=MO,TU", ""},
                                                      Case{"FREQ=DAILY,INTERVAL=2.0:COUNT=3.", "FREQ=DAILY;INTERVAL=2;COUNT=3", ""},
                                                      Case{"FREQ=WEEKLY;BYDAY=MONDAY,WED", "FREQ=WEEKLY;BYDAY=MO,WE", ""},
                                                      Case{"FREQ=WEEKLY;BYDAY=M,X", "FREQ=WEEKLY", "BYDAY=M,X"},
                                                      Case{"FREQ=DAILY;UNTIL=never", "FREQ=DAILY", "UNTIL=NEVER"},
                                                      Case{"FREQ=DAILY;WKST=X", "FREQ=DAILY", "WKST=X"},
                                                      Case{"FREQ=DAILY;INTERVAL=99999999999999999999", "FREQ=DAILY;INTERVAL=100000", ""},
                                                      Case{"FREQ=DAILY;SKIP=FORWARD", "FREQ=DAILY", "SKIP=FORWARD"}})
        {
            std::vector<std::string> passedOver;
            const auto rule = RecurrenceRule::parse(written, &passedOver);
            CPPUNIT_ASSERT_MESSAGE(written, rule.has_value());
            std::string names;
            for (const auto& part : passedOver) names += (names.empty() ? "" : " ") + part;
            equal(ignored, names, written);
            CPPUNIT_ASSERT_MESSAGE(written, from2026(written, "20270301") == from2026(meant, "20270301"));
        }
        for (const auto* text : {"20261104T240000Z", "2026-11-05T00:00:00Z", "TZID=Europe/Berlin:20261105T000000"})
            CPPUNIT_ASSERT_MESSAGE(text, RecurrenceRule::parse("FREQ=DAILY;UNTIL=" + std::string(text))->until->time == wall("20261105"));
        CHECK(RecurrenceRule::parse("FREQ=DAILY;UNTIL;TZID=Europe/Berlin=20261105T000000")->until->time == wall("20261105"));
    }

    TEST(takesWeeksWithoutDaysFromTheStart)
    {
        CHECK(from2026("FREQ=YEARLY;BYWEEKNO=20", "20290101") == (std::vector{wall("20270517T090000"), wall("20280515T090000")}));
    }

    /// Also applies to the first week, which has days before the start.
    TEST(choosesFromWholeWeeks)
    {
        const auto rule = *RecurrenceRule::parse("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2");
        RecurrenceBudget budget;
        CHECK(occurrences(rule, {wall("20261104T090000"), false, wall("20261101"), wall("20261115")}, budget) ==
              (std::vector{wall("20261104T090000"), wall("20261111T090000")}));
    }

    TEST(keepsToUntilInclusive)
    {
        const auto rule = *RecurrenceRule::parse("FREQ=DAILY");
        RecurrenceBudget budget;
        const RecurrenceSpan span{wall("20261102T090000"), false, wall("20261101"), wall("20270101"), wall("20261104T090000")};
        equal(3, occurrences(rule, span, budget).size());
    }

    TEST(passesOverTimesOfDatesOnly)
    {
        RecurrenceBudget budget;
        const auto days = [&](const char* rule) {
            return occurrences(*RecurrenceRule::parse(rule), {wall("20261102"), true, wall("20261101"), wall("20261105")}, budget).size();
        };
        equal(3, days("FREQ=DAILY;BYHOUR=9,10;BYMINUTE=30"));
        equal(0, days("FREQ=HOURLY"));
    }

    TEST(endsRulesThatNeverMeet)
    {
        for (const auto* rule :
             {"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MINUTELY;BYYEARDAY=366;BYMONTH=1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
              "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4;COUNT=3", "FREQ=HOURLY;BYHOUR=9;BYSETPOS=7", "FREQ=YEARLY;INTERVAL=99999;BYYEARDAY=1",
              "FREQ=WEEKLY;INTERVAL=90000;BYDAY=SU;BYMONTH=1;BYMONTHDAY=30"})
            CPPUNIT_ASSERT_MESSAGE(rule, from2026(rule, "20281101").empty());
    }

    TEST(refusesRulesThatMeetTooOften)
    {
        RecurrenceBudget budget;
        budget.occurrences = 1000;
        CPPUNIT_ASSERT_THROW(from2026("FREQ=SECONDLY", "20281101", budget), RecurrenceTooLong);
        CPPUNIT_ASSERT_THROW(from2026("FREQ=YEARLY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,1,2,3", "99991231"),
                             RecurrenceTooLong);
        // Counted from the start in 1970, long before the requested range.
        const auto rule = *RecurrenceRule::parse("FREQ=SECONDLY;COUNT=1000000000");
        RecurrenceBudget whole;
        CPPUNIT_ASSERT_THROW(occurrences(rule, {wall("19700101T000000"), false, wall("20261101"), wall("20281101")}, whole),
                             RecurrenceTooLong);
    }
};
} // namespace portico::tests
