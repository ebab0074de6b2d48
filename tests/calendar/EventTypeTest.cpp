#include "calendar/CalendarFixture.h"

namespace portico::tests
{

/// Event types and schedules: their rules, and how they depend on each other.
class CalendarEventTypeTest : public Suite<CalendarEventTypeTest, CalendarFixture>
{
    void setUp() override
    {
        CalendarFixture::setUp();
        _schedule = newHost(ada, "ada").at("/defaultScheduleId");
    }

    TEST(makesWithDefaults)
    {
        const auto type = made(post(ada, types, R"({"slug":"intro","title":" Intro call "})"));
        equal("Intro call", type.at("/title"));
        equal("30", type.at("/durationMinutes"));
        equal("unlimited", type.at("/bookingWindow/kind"));
        equal("true", type.at("/cancelPolicy/guestMayCancel"));
        equal(type.body, get(ada, types + "/" + type.at("/eventTypeId")).body);
    }

    TEST(refusesWhatCannotBe)
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
            const auto refused = post(ada, types, jsonWith(R"({"title":"x","slug":"s",$})", member));
            equal(400, refused.status, member);
        }
        equal(0, get(ada, types).count("/items"));
    }

    TEST(keepsSlugsApart)
    {
        made(post(ada, types, R"({"slug":"intro","title":"A"})"));
        equal("slug_in_use", post(ada, types, R"({"slug":"intro","title":"B"})").code());
        const auto other = made(post(ada, types, R"({"slug":"other","title":"B"})"));
        equal("slug_in_use", put(ada, types + "/" + other.at("/eventTypeId"), R"({"slug":"intro"})").code());
        newHost(stranger, "bob");
        made(post(stranger, types, R"({"slug":"intro","title":"C"})"));
    }

    TEST(changesAndDeletes)
    {
        const auto type = types + "/" + made(post(ada, types, R"({"slug":"intro","title":"A"})")).at("/eventTypeId");
        const auto changed =
            put(ada, type, R"({"durationOptions":[15,60],"bookingWindow":{"kind":"rollingDays","days":30},"dailyLimit":2})");
        equal(200, changed.status, changed.body);
        equal("30", changed.at("/bookingWindow/days"));
        equal("true", del(ada, type).at("/deleted"));
        equal(404, get(ada, type).status);
    }

    TEST(keepsSchedulesInUse)
    {
        equal("schedule_in_use", del(ada, "/api/admin/schedules/" + _schedule).code());
        const auto evening =
            made(post(ada, "/api/admin/schedules", R"({"name":"Evenings","weeklyRules":[{"weekday":2,"start":"18:00","end":"01:00"}]})"));
        equal("Europe/Berlin", evening.at("/timeZone"));
        const auto id = evening.at("/scheduleId");
        const auto type =
            types + "/" + made(post(ada, types, jsonWith(R"({"slug":"late","title":"Late","scheduleId":"$"})", id))).at("/eventTypeId");
        equal("schedule_in_use", del(ada, "/api/admin/schedules/" + id).code());
        equal(200, put(ada, type, R"({"scheduleId":null})").status);
        equal(200, del(ada, "/api/admin/schedules/" + id).status);
        equal(200, get(ada, "/api/admin/schedules/" + _schedule).status);
    }

    TEST(refusesHoursThatCannotBe)
    {
        for (const std::string members :
             {R"("weeklyRules":[{"weekday":1,"start":"09:00","end":"09:00"}])",
              R"("weeklyRules":[{"weekday":0,"start":"09:00","end":"10:00"}])",
              R"("weeklyRules":[{"weekday":1,"start":"24:00","end":"10:00"}])", R"("dateOverrides":[{"date":"2026-02-20"}])",
              R"("dateOverrides":[{"date":"2026-02-20","closed":true,"intervals":[{"start":"09:00","end":"10:00"}]}])",
              R"("timeZone":"Mars")"})
            equal(400, put(ada, "/api/admin/schedules/" + _schedule, "{" + members + "}").status, members);
        const auto never = put(ada, "/api/admin/schedules/" + _schedule,
                               R"({"weeklyRules":[{"weekday":1,"start":"09:00","end":"25:00"}],"dateOverrides":[{"date":"2026-02-30"}]})");
        equal("weeklyRules[0].end", never.at("/errors/0/field"));
        equal("invalid_time", never.at("/errors/0/code"));
        equal("dateOverrides[0].date", never.at("/errors/1/field"));
        equal("invalid_date", never.at("/errors/1/code"));
        const auto kept = put(ada, "/api/admin/schedules/" + _schedule,
                              R"({"dateOverrides":[{"date":"2026-12-24","closed":true},{"date":"2026-12-31","intervals":[{"start":"09:00",)"
                              R"("end":"12:00"}]}]})");
        equal(200, kept.status, kept.body);
        equal("12:00", kept.at("/dateOverrides/1/intervals/0/end"));
    }

    TEST(hidesOthersRecords)
    {
        const auto type = types + "/" + made(post(ada, types, R"({"slug":"intro","title":"A"})")).at("/eventTypeId");
        newHost(stranger, "bob");
        auto colleague = newMember(ada.organizationId);
        newHost(colleague, "cleo");
        for (const auto& other : {stranger, colleague})
        {
            equal(404, get(other, type).status);
            equal(404, put(other, type, R"({"title":"B"})").status);
            equal(404, del(other, type).status);
            equal(404, get(other, "/api/admin/schedules/" + _schedule).status);
        }
    }

    const std::string types = "/api/admin/event-types";
    std::string _schedule;
};
} // namespace portico::tests
