#include "calendar/BookingFixture.h"
#include "calendar/OperatorCatalog.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

/// Holds: who gets a time, for how long, and what becomes of it.
class CalendarHoldTest : public BookingFixture
{
    CPPUNIT_TEST_SUITE(CalendarHoldTest);
    CPPUNIT_TEST(keepsATime);
    CPPUNIT_TEST(refusesWhatIsNotOffered);
    CPPUNIT_TEST(keepsOneForEachPage);
    CPPUNIT_TEST(limitsAddresses);
    CPPUNIT_TEST(countsWhatIsNotBooked);
    CPPUNIT_TEST(givesBack);
    CPPUNIT_TEST(expires);
    CPPUNIT_TEST(survivesAReload);
    CPPUNIT_TEST(endsWithARestart);
    CPPUNIT_TEST(goesToOneOfMany);
    CPPUNIT_TEST(refusesForeignPages);
    CPPUNIT_TEST(letsPagesInThatTheOperatorNames);
    CPPUNIT_TEST_SUITE_END();

public:
    void keepsATime()
    {
        const auto held = made(hold(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T08:30:00.000Z"), held.at("/end"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:05:00.000Z"), held.at("/expiresAt"));
        const auto second = hold(nine, "192.0.2.2");
        CPPUNIT_ASSERT_EQUAL(409, second.status);
        CPPUNIT_ASSERT_EQUAL(std::string("slot_held"), second.code());
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, second.count("/details/nearest"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["held"])"), why(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("reserved"), record("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("08:30"), freeOn("2026-11-24").at("/slots/0/start").substr(11, 5));
    }

    void refusesWhatIsNotOffered()
    {
        for (const std::string start : {"2026-11-24T07:00:00Z", "2026-11-24T08:10:00Z", "2026-11-22T09:00:00Z", "2026-11-23T07:00:00Z"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(start, std::string("slot_unavailable"), hold(start).code());
        CPPUNIT_ASSERT_EQUAL(400, hold("tomorrow").status);
        CPPUNIT_ASSERT_EQUAL(400, hold(nine, "192.0.2.1", R"(,"durationMinutes":45)").status);
        CPPUNIT_ASSERT_EQUAL(400, hold(nine, "192.0.2.1", R"(,"seats":2)").status);
        CPPUNIT_ASSERT_EQUAL(404, hold(nine, "192.0.2.1", {}, "other").status);
        put(ada, "/api/admin/event-types/" + intro, R"({"visibility":"disabled"})");
        CPPUNIT_ASSERT_EQUAL(410, hold(nine).status);
        put(ada, "/api/admin/event-types/" + intro, R"({"visibility":"unlisted"})");
        put(ada, "/api/admin/host", R"({"status":"paused"})");
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), hold(nine).code());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, freeOn("2026-11-24").count("/slots"));
    }

    void keepsOneForEachPage()
    {
        const std::string page = R"(,"clientToken":"page-1")";
        made(hold(nine, "192.0.2.1", page));
        // The same page may choose again, also the very same time.
        made(hold(nine, "192.0.2.1", page));
        made(hold("2026-11-24T10:00:00Z", "192.0.2.1", page));
        made(hold(nine, "192.0.2.2"));
        CPPUNIT_ASSERT_EQUAL(std::string("replaced"), record("/reason", "?status=released"));
    }

    void limitsAddresses()
    {
        for (const std::string start : {"08:00", "09:00", "10:00"}) made(hold("2026-11-24T" + start + ":00Z", "192.0.2.9"));
        const auto fourth = hold("2026-11-24T11:00:00Z", "192.0.2.9");
        CPPUNIT_ASSERT_EQUAL(429, fourth.status);
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), fourth.code());
        made(hold("2026-11-24T11:00:00Z", "192.0.2.10"));
    }

    void countsWhatIsNotBooked()
    {
        const auto at = [](int number) {
            return "2026-11-2" + std::to_string(4 + number / 8) + "T" + (number % 8 < 2 ? "0" : "") + std::to_string(8 + number % 8) +
                   ":00:00Z";
        };
        // Many guests of one office.
        for (int number = 0; number < 24; ++number) made(confirm(made(hold(at(number), "192.0.2.9"))));
        const auto last = "2026-11-27T09:00:00Z";
        for (int number = 0; number < 20; ++number)
        {
            const auto held = made(hold(last, "192.0.2.9"));
            CPPUNIT_ASSERT_EQUAL(204, release(held.at("/holdId"), held.at("/holdToken")).status);
        }
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), hold(last, "192.0.2.9").code());
        made(hold(last, "192.0.2.10"));
    }

    void givesBack()
    {
        const auto held = made(hold(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("hold_token_invalid"), release(held.at("/holdId"), "guess").code());
        CPPUNIT_ASSERT_EQUAL(204, release(held.at("/holdId"), held.at("/holdToken")).status);
        CPPUNIT_ASSERT_EQUAL(204, release(held.at("/holdId"), held.at("/holdToken")).status);
        CPPUNIT_ASSERT_EQUAL(204, release("hld_" + makeUlid(Instant{}), "x").status);
        made(hold(nine, "192.0.2.2"));
        CPPUNIT_ASSERT_EQUAL(std::string("guest"), record("/reason", "?status=released"));
    }

    void expires()
    {
        const auto held = made(hold(nine));
        clock().advance(std::chrono::seconds(299));
        CPPUNIT_ASSERT_EQUAL(std::string("slot_held"), hold(nine, "192.0.2.2").code());
        clock().advance(std::chrono::seconds(1));
        // Before any job has run.
        CPPUNIT_ASSERT_EQUAL(held.at("/expiresAt") + " expired timeout",
                             record("/closedAt") + " " + record("/status") + " " + record("/reason"));
        CPPUNIT_ASSERT_EQUAL(held.at("/holdId"), record("/holdId", "?status=expired"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, "/api/admin/holds?status=reserved,confirmed").count("/items"));
        made(hold(nine, "192.0.2.2"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(ada, "/api/admin/holds?status=reserved").count("/items"));
        const auto late = confirm(held);
        CPPUNIT_ASSERT_EQUAL(410, late.status);
        CPPUNIT_ASSERT_EQUAL(std::string("hold_expired"), late.code());
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(held.at("/expiresAt") + " timeout",
                             record("/closedAt", "?status=expired") + " " + record("/reason", "?status=expired"));
    }

    void survivesAReload()
    {
        const auto held = made(hold(nine));
        host->reload();
        CPPUNIT_ASSERT_EQUAL(std::string("slot_held"), hold(nine, "192.0.2.2").code());
        made(confirm(held));
    }

    void endsWithARestart()
    {
        const auto held = made(hold(nine));
        // What a restart does to a StateStore in memory.
        host->context().state().remove("holds:" + get(ada, "/api/admin/host").at("/hostId"));
        host->reload();
        CPPUNIT_ASSERT_EQUAL(std::string("restart"), record("/reason", "?status=expired"));
        CPPUNIT_ASSERT_EQUAL(std::string("hold_expired"), confirm(held).code());
        made(hold(nine, "192.0.2.2"));
    }

    void goesToOneOfMany()
    {
        std::atomic<int> won{0}, held{0}, other{0};
        runTogether(
            20,
            [&](int thread)
            {
                for (int i = 0; i < 10; ++i)
                {
                    const auto answer = hold(nine, "192.0.2." + std::to_string(thread) + std::to_string(i % 3));
                    ++(answer.status == 201 ? won : answer.code() == "slot_held" && answer.count("/details/nearest") == 5 ? held : other);
                }
            });
        CPPUNIT_ASSERT_EQUAL(1, won.load());
        CPPUNIT_ASSERT_EQUAL(0, other.load());
        CPPUNIT_ASSERT_EQUAL(199, held.load());
    }

    void refusesForeignPages()
    {
        const auto body = R"({"start":")" + nine + R"(","timeZone":"UTC"})";
        const std::string target = "/api/public/ada/intro/hold";
        CPPUNIT_ASSERT_EQUAL(std::string("origin_not_allowed"),
                             guest(Method::Post, target, body, "192.0.2.1", "https://evil.example").code());
        CPPUNIT_ASSERT_EQUAL(201, guest(Method::Post, target, body, "192.0.2.1", host->context().host().origin).status);
    }

    void letsPagesInThatTheOperatorNames()
    {
        host->context().services().offer<interfaces::ServiceCatalog>(_catalog);
        const auto body = R"({"start":")" + nine + R"(","timeZone":"UTC"})";
        const std::string target = "/api/public/ada/intro/hold";
        CPPUNIT_ASSERT_EQUAL(201, guest(Method::Post, target, body, "192.0.2.1", "https://shop.example").status);
        CPPUNIT_ASSERT_EQUAL(std::string("embed"), record("/source"));
        CPPUNIT_ASSERT_EQUAL(403, guest(Method::Post, target, body, "192.0.2.1", "https://shop.example.evil.example").status);
    }

private:
    OperatorCatalog _catalog;

    testing::TestAnswer release(const std::string& id, const std::string& token) const
    {
        testing::TestRequest request{Method::Delete, "/api/public/holds/" + id, {}, {{"X-Hold-Token", token}}, Caller::nobody()};
        return host->call(request);
    }
    /// Of the newest record of a hold.
    std::string record(const std::string& member, const std::string& query = {}) const
    {
        return get(ada, "/api/admin/holds" + query).at("/items/0" + member);
    }

    const std::string nine = "2026-11-24T08:00:00Z";
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarHoldTest);

} // namespace portico::tests
