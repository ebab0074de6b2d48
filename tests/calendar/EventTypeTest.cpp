#include "calendar/CalendarFixture.h"

namespace portico::tests
{

/// Event types and schedules: their rules, and how they depend on each other.
class CalendarEventTypeTest : public CalendarFixture
{
    CPPUNIT_TEST_SUITE(CalendarEventTypeTest);
    CPPUNIT_TEST(makesWithDefaults);
    CPPUNIT_TEST(refusesWhatCannotBe);
    CPPUNIT_TEST(keepsSlugsApart);
    CPPUNIT_TEST(changesAndDeletes);
    CPPUNIT_TEST(keepsSchedulesInUse);
    CPPUNIT_TEST(refusesHoursThatCannotBe);
    CPPUNIT_TEST(hidesOthersRecords);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        CalendarFixture::setUp();
        _schedule = newHost(ada, "ada").at("/defaultScheduleId");
    }

    void makesWithDefaults()
    {
        const auto type = made(post(ada, types, R"({"slug":"intro","title":" Intro call "})"));
        CPPUNIT_ASSERT_EQUAL(std::string("Intro call"), type.at("/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("30"), type.at("/durationMinutes"));
        CPPUNIT_ASSERT_EQUAL(std::string("unlimited"), type.at("/bookingWindow/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), type.at("/cancelPolicy/guestMayCancel"));
        CPPUNIT_ASSERT_EQUAL(type.body, get(ada, types + "/" + type.at("/eventTypeId")).body);
    }

    void refusesWhatCannotBe()
    {
        for (const std::string member :
             {R"("slug":"Intro")", R"("slug":"a b")", R"("durationMinutes":4)", R"("seatsPerSlot":0)", R"("durationOptions":[30,30])",
              R"("durationOptions":[1])", R"("bufferAfterMinutes":481)",
              R"("questions":[{"questionId":"q","label":"Which?","type":"select"}])",
              R"("questions":[{"questionId":"q","label":"Which?","type":"select","options":["S","S"]}])",
              R"("questions":[{"questionId":"q","label":"A"},{"questionId":"q","label":"B"}])", R"("redirectUrl":"http://x.example")",
              R"("redirectUrl":"javascript:x")", R"("color":"blue")", R"("meetingKind":"external_link","meetingDetails":"ftp://x")",
              R"("scheduleId":"sch_01jd0000000000000000000000")", R"("unknown":1)"})
        {
            const auto refused = post(ada, types, R"({"title":"x","slug":"s",)" + member + "}");
            CPPUNIT_ASSERT_EQUAL_MESSAGE(member, 400, refused.status);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, types).count("/items"));
    }

    void keepsSlugsApart()
    {
        made(post(ada, types, R"({"slug":"intro","title":"A"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("slug_in_use"), post(ada, types, R"({"slug":"intro","title":"B"})").code());
        const auto other = made(post(ada, types, R"({"slug":"other","title":"B"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("slug_in_use"), put(ada, types + "/" + other.at("/eventTypeId"), R"({"slug":"intro"})").code());
        newHost(stranger, "bob");
        made(post(stranger, types, R"({"slug":"intro","title":"C"})"));
    }

    void changesAndDeletes()
    {
        const auto type = types + "/" + made(post(ada, types, R"({"slug":"intro","title":"A"})")).at("/eventTypeId");
        const auto changed =
            put(ada, type, R"({"durationOptions":[15,60],"bookingWindow":{"kind":"rollingDays","days":30},"dailyLimit":2})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(changed.body, 200, changed.status);
        CPPUNIT_ASSERT_EQUAL(std::string("30"), changed.at("/bookingWindow/days"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), del(ada, type).at("/deleted"));
        CPPUNIT_ASSERT_EQUAL(404, get(ada, type).status);
    }

    void keepsSchedulesInUse()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("schedule_in_use"), del(ada, "/api/admin/schedules/" + _schedule).code());
        const auto evening =
            made(post(ada, "/api/admin/schedules", R"({"name":"Evenings","weeklyRules":[{"weekday":2,"start":"18:00","end":"01:00"}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("Europe/Berlin"), evening.at("/timeZone"));
        const auto id = evening.at("/scheduleId");
        const auto type =
            types + "/" + made(post(ada, types, R"({"slug":"late","title":"Late","scheduleId":")" + id + "\"}")).at("/eventTypeId");
        CPPUNIT_ASSERT_EQUAL(std::string("schedule_in_use"), del(ada, "/api/admin/schedules/" + id).code());
        CPPUNIT_ASSERT_EQUAL(200, put(ada, type, R"({"scheduleId":null})").status);
        CPPUNIT_ASSERT_EQUAL(200, del(ada, "/api/admin/schedules/" + id).status);
        CPPUNIT_ASSERT_EQUAL(200, get(ada, "/api/admin/schedules/" + _schedule).status);
    }

    void refusesHoursThatCannotBe()
    {
        for (const std::string members :
             {R"("weeklyRules":[{"weekday":1,"start":"09:00","end":"09:00"}])",
              R"("weeklyRules":[{"weekday":0,"start":"09:00","end":"10:00"}])",
              R"("weeklyRules":[{"weekday":1,"start":"24:00","end":"10:00"}])", R"("dateOverrides":[{"date":"2026-02-20"}])",
              R"("dateOverrides":[{"date":"2026-02-20","closed":true,"intervals":[{"start":"09:00","end":"10:00"}]}])",
              R"("timeZone":"Mars")"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(members, 400, put(ada, "/api/admin/schedules/" + _schedule, "{" + members + "}").status);
        const auto never = put(ada, "/api/admin/schedules/" + _schedule,
                               R"({"weeklyRules":[{"weekday":1,"start":"09:00","end":"25:00"}],"dateOverrides":[{"date":"2026-02-30"}]})");
        CPPUNIT_ASSERT_EQUAL(std::string("weeklyRules[0].end"), never.at("/errors/0/field"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_time"), never.at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("dateOverrides[0].date"), never.at("/errors/1/field"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_date"), never.at("/errors/1/code"));
        const auto kept = put(
            ada, "/api/admin/schedules/" + _schedule,
            R"({"dateOverrides":[{"date":"2026-12-24","closed":true},{"date":"2026-12-31","intervals":[{"start":"09:00","end":"12:00"}]}]})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(kept.body, 200, kept.status);
        CPPUNIT_ASSERT_EQUAL(std::string("12:00"), kept.at("/dateOverrides/1/intervals/0/end"));
    }

    void hidesOthersRecords()
    {
        const auto type = types + "/" + made(post(ada, types, R"({"slug":"intro","title":"A"})")).at("/eventTypeId");
        newHost(stranger, "bob");
        auto colleague = newMember(ada.organizationId);
        newHost(colleague, "cleo");
        for (const auto& other : {stranger, colleague})
        {
            CPPUNIT_ASSERT_EQUAL(404, get(other, type).status);
            CPPUNIT_ASSERT_EQUAL(404, put(other, type, R"({"title":"B"})").status);
            CPPUNIT_ASSERT_EQUAL(404, del(other, type).status);
            CPPUNIT_ASSERT_EQUAL(404, get(other, "/api/admin/schedules/" + _schedule).status);
        }
    }

private:
    const std::string types = "/api/admin/event-types";
    std::string _schedule;
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarEventTypeTest);

} // namespace portico::tests
