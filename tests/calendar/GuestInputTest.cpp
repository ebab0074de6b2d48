#include "calendar/BookingFixture.h"

#include "portico/CrossOrigin.h"

namespace portico::tests
{

/// Validation of input by guests and hosts.
class CalendarInputTest : public Suite<CalendarInputTest, BookingFixture>
{
    TEST(wantsAZoneWithAHold)
    {
        const auto without = guest(Method::Post, "/api/public/ada/intro/hold", jsonWith(R"({"start":"$"})", nine));
        equal("400 timeZone required",
              std::to_string(without.status) + " " + without.at("/errors/0/field") + " " + without.at("/errors/0/code"));
        const auto odd = guest(Method::Post, "/api/public/ada/intro/hold", jsonWith(R"({"start":"$","timeZone":"Mars"})", nine));
        equal("unknown_time_zone", odd.at("/errors/0/code"));
    }

    TEST(refusesNamesThatAreNoLine)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"allowAdditionalGuests":1})");
        const auto held = made(hold(nine));
        for (const auto& refused : {confirm(held, {}, "intro", "Grace\r\nBcc: a@b.example"), confirm(held, {}, "intro", "Gr\ace"),
                                    confirm(held, R"(,"additionalGuests":[{"name":"a\nb","email":"a@b.example"}])"),
                                    put(ada, "/api/admin/host", R"({"displayName":"Ada\nEve"})"),
                                    put(ada, "/api/admin/event-types/" + intro, R"({"title":"Intro\nEve"})")})
        {
            equal(400, refused.status, refused.body);
            equal("invalid_name", refused.at("/errors/0/code"));
        }
        made(confirm(held, R"(,"notes":"Two\nlines")", "intro", "Gr\u00e4ce \u4f60"));
    }

    TEST(refusesNumbersThatAreNone)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"questions":[{"questionId":"n","label":"N","type":"number"}]})");
        const auto held = made(hold(nine));
        for (const std::string number : {R"("1e999")", "1e999", R"("-1e999")", R"("nan")", R"("0x10")"})
            equal(400, answered(held, jsonWith(R"("answers":[{"questionId":"n","value":$}])", number), {}).status, number);
        for (const std::string phone : {"xx", "12", "+49 30 x"})
        {
            const auto refused = answered(held, R"("answers":[])", jsonWith(R"(,"phone":"$")", phone));
            equal("guest.phone invalid_phone", refused.at("/errors/0/field") + " " + refused.at("/errors/0/code"), refused.body);
        }
        made(answered(held, R"("answers":[{"questionId":"n","value":"1e3"}])", R"(,"phone":"+49 (30) 12-34")"));
        newType(R"({"slug":"phone","title":"Call","meetingKind":"phone"})");
        const auto called = made(hold("2026-11-24T09:00:00Z", "192.0.2.1", {}, "phone"));
        equal("required", answered(called, R"("answers":[])", R"(,"phone":"")", "phone").at("/errors/0/code"));
    }

    TEST(refusesLinksThatAreNotThere)
    {
        const auto refused = post(ada, types, R"({"slug":"x","title":"X","meetingKind":"external_link"})");
        equal(400, refused.status, refused.body);
        equal("meetingDetails required", refused.at("/errors/0/field") + " " + refused.at("/errors/0/code"));
        equal(400, put(ada, types + "/" + intro, R"({"meetingKind":"external_link"})").status);
        equal(200, put(ada, types + "/" + intro, R"({"meetingKind":"external_link","meetingDetails":"https://meet.example/a"})").status);
        equal(400, put(ada, types + "/" + intro, R"({"meetingDetails":""})").status);
        equal("required", put(ada, types + "/" + intro, R"({"meetingKind":null})").at("/errors/0/code"));
    }

    TEST(refusesUnknownMembersOfWhatNeedsNone)
    {
        put(ada, types + "/" + intro, R"({"requiresApproval":true})");
        const auto id = booked(nine).at("/booking/bookingId");
        equal("unknown_field", step(id, "approve", R"({"x":1})").code());
        equal(200, step(id, "approve", "").status);
    }

    TEST(saysWhichDateIsNone)
    {
        for (const std::string dates : {R"("from":"2026-02-30","to":"2026-03-01")", R"("from":"2026-02-20","to":"soon")"})
        {
            const auto refused = put(ada, types + "/" + intro, jsonWith(R"({"bookingWindow":{"kind":"dateRange",$}})", dates));
            equal("invalid_date", refused.at("/errors/0/code"), refused.body);
        }
        // Dates whose instants cannot be written in an answer.
        for (const auto& [dates, field] : std::vector<std::pair<std::string, std::string>>{
                 {"fromDate=0000-01-01&toDate=0000-01-02", "fromDate"}, {"fromDate=9999-12-30&toDate=9999-12-31&timeZone=UTC", "toDate"}})
        {
            const auto refused = guest(Method::Get, "/api/public/ada/intro/availability?" + dates);
            equal(field + " out_of_range", refused.at("/errors/0/field") + " " + refused.at("/errors/0/code"), refused.body);
        }
        const std::string instants = "from=2026-11-24T00:00:00Z&to=2026-11-25T00:00:00Z";
        for (const std::string field : {"fromDate", "toDate"})
        {
            const auto refused = guest(Method::Get, "/api/public/ada/intro/availability?" + instants + "&" + field + "=2026-11-24");
            equal(field + " conflicting", refused.at("/errors/0/field") + " " + refused.at("/errors/0/code"), refused.body);
        }
        equal(200, guest(Method::Get, "/api/public/ada/intro/availability?fromDate=0000-01-02&toDate=0000-01-03").status);
        for (const std::string path : {"availability?fromDate=2026-11-24&toDate=2026-11-24", "explain?start=2026-11-24T08:00:00Z"})
        {
            const auto refused = guest(Method::Get, "/api/public/ada/intro/" + path + "&duration=33");
            equal("duration not_offered", refused.at("/errors/0/field") + " " + refused.at("/errors/0/code"), refused.body);
        }
        equal(200, guest(Method::Get, "/ada/intro?tz=UTC&date=9999-12-31").status);
    }

    TEST(takesTheAnswerToASumOnce)
    {
        put(ada, "/api/admin/host", R"({"humanVerification":true})");
        const auto check = guest(Method::Get, "/api/public/ada/intro");
        const auto question = check.at("/humanCheck/question");
        const auto answer = jsonWith(R"(,"humanCheck":{"token":"$","answer":"$"})", check.at("/humanCheck/token"),
                                     question.front() - '0' + question.back() - '0');
        const auto held = made(hold(nine)), other = made(hold("2026-11-24T10:00:00Z"));
        // Other faults of the request do not use up the answer.
        equal(400, confirm(held, answer, "intro", "").status);
        made(confirm(held, answer));
        equal(200, confirm(held, answer).status);
        equal("wrong_answer", confirm(other, answer).at("/errors/0/code"));
        // An answer is not valid for another host.
        newHost(stranger, "eve");
        put(stranger, "/api/admin/host", R"({"humanVerification":true})");
        made(post(stranger, types, R"({"slug":"intro","title":"Eve's"})"));
        const auto fresh = guest(Method::Get, "/api/public/ada/intro");
        const auto sum = fresh.at("/humanCheck/question");
        const auto elsewhere = made(guest(Method::Post, "/api/public/eve/intro/hold", jsonWith(R"({"start":"$","timeZone":"UTC"})", nine)));
        const auto body = jsonWith(
            R"({"holdId":"$","holdToken":"$","guest":{"name":"G","email":"g@example.org","timeZone":"UTC"},"humanCheck":{"token":"$",)"
            R"("answer":"$"}})",
            elsewhere.at("/holdId"), elsewhere.at("/holdToken"), fresh.at("/humanCheck/token"), sum.front() - '0' + sum.back() - '0');
        equal("wrong_answer", guest(Method::Post, "/api/public/eve/intro/confirm", body).at("/errors/0/code"));
    }

    TEST(readsAreForEveryPage)
    {
        std::size_t found = 0;
        for (const auto& route : host->routes())
            if (route.method == Method::Get && route.pattern.starts_with("/api/public/"))
            {
                CPPUNIT_ASSERT_MESSAGE(route.pattern, route.crossOrigin.rule() == CrossOrigin::Rule::Anyone);
                ++found;
            }
        equal(6, found);
    }

    testing::TestAnswer answered(const testing::TestAnswer& held, const std::string& answers, const std::string& more,
                                 const std::string& type = "intro") const
    {
        return guest(Method::Post, "/api/public/ada/" + type + "/confirm",
                     jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"Grace","email":"g@example.org","timeZone":"UTC"$},$})",
                              held.at("/holdId"), held.at("/holdToken"), more, answers));
    }

    const std::string nine = "2026-11-24T08:00:00Z", types = "/api/admin/event-types";
};
} // namespace portico::tests
