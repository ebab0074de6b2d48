#include "calendar/BookingFixture.h"
#include "calendar/OperatorCatalog.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

/// Holds: creation, lifetime, and their records.
class CalendarHoldTest : public Suite<CalendarHoldTest, BookingFixture>
{
    TEST(keepsATime)
    {
        const auto held = made(hold(nine));
        equal("2026-11-24T08:30:00.000Z", held.at("/end"));
        equal("2026-11-23T08:05:00.000Z", held.at("/expiresAt"));
        const auto second = hold(nine, "192.0.2.2");
        refused(second, 409, "slot_held");
        equal(5, second.count("/details/nearest"));
        equal(R"(["held"])", why(nine));
        equal("reserved", record("/status"));
        equal("08:30", freeOn("2026-11-24").at("/slots/0/start").substr(11, 5));
    }

    TEST(refusesWhatIsNotOffered)
    {
        for (const std::string start : {"2026-11-24T07:00:00Z", "2026-11-24T08:10:00Z", "2026-11-22T09:00:00Z", "2026-11-23T07:00:00Z"})
            equal("slot_unavailable", hold(start).code(), start);
        equal(400, hold("tomorrow").status);
        equal(400, hold(nine, "192.0.2.1", R"(,"durationMinutes":45)").status);
        equal(400, hold(nine, "192.0.2.1", R"(,"seats":2)").status);
        equal(404, hold(nine, "192.0.2.1", {}, "other").status);
        put(ada, "/api/admin/event-types/" + intro, R"({"visibility":"disabled"})");
        equal(410, hold(nine).status);
        put(ada, "/api/admin/event-types/" + intro, R"({"visibility":"unlisted"})");
        put(ada, "/api/admin/host", R"({"status":"paused"})");
        equal("slot_unavailable", hold(nine).code());
        equal(0, freeOn("2026-11-24").count("/slots"));
    }

    TEST(keepsOneForEachPage)
    {
        const std::string page = R"(,"clientToken":"page-1")";
        made(hold(nine, "192.0.2.1", page));
        // The same page may choose again, also the very same time.
        made(hold(nine, "192.0.2.1", page));
        made(hold("2026-11-24T10:00:00Z", "192.0.2.1", page));
        made(hold(nine, "192.0.2.2"));
        equal("replaced", record("/reason", "?status=released"));
    }

    TEST(limitsAddresses)
    {
        for (const std::string start : {"08:00", "09:00", "10:00"}) made(hold("2026-11-24T" + start + ":00Z", "192.0.2.9"));
        const auto fourth = hold("2026-11-24T11:00:00Z", "192.0.2.9");
        refused(fourth, 429, "rate_limited");
        made(hold("2026-11-24T11:00:00Z", "192.0.2.10"));
    }

    TEST(countsWhatIsNotBooked)
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
            equal(204, release(held.at("/holdId"), held.at("/holdToken")).status);
        }
        equal("rate_limited", hold(last, "192.0.2.9").code());
        made(hold(last, "192.0.2.10"));
    }

    TEST(givesBack)
    {
        const auto held = made(hold(nine));
        equal("hold_token_invalid", release(held.at("/holdId"), "guess").code());
        equal(204, release(held.at("/holdId"), held.at("/holdToken")).status);
        equal(204, release(held.at("/holdId"), held.at("/holdToken")).status);
        equal(204, release("hld_" + makeUlid(Instant{}), "x").status);
        made(hold(nine, "192.0.2.2"));
        equal("guest", record("/reason", "?status=released"));
    }

    TEST(expires)
    {
        const auto held = made(hold(nine));
        clock().advance(std::chrono::seconds(299));
        equal("slot_held", hold(nine, "192.0.2.2").code());
        clock().advance(std::chrono::seconds(1));
        // Before any job has run.
        equal(held.at("/expiresAt") + " expired timeout", record("/closedAt") + " " + record("/status") + " " + record("/reason"));
        equal(held.at("/holdId"), record("/holdId", "?status=expired"));
        equal(0, get(ada, "/api/admin/holds?status=reserved,confirmed").count("/items"));
        made(hold(nine, "192.0.2.2"));
        equal(1, get(ada, "/api/admin/holds?status=reserved").count("/items"));
        const auto late = confirm(held);
        refused(late, 410, "hold_expired");
        host->context().jobs().runDue();
        equal(held.at("/expiresAt") + " timeout", record("/closedAt", "?status=expired") + " " + record("/reason", "?status=expired"));
    }

    TEST(survivesAReload)
    {
        const auto held = made(hold(nine));
        host->reload();
        equal("slot_held", hold(nine, "192.0.2.2").code());
        made(confirm(held));
    }

    TEST(endsWithARestart)
    {
        const auto held = made(hold(nine));
        // Simulates a restart, which clears a StateStore in memory.
        host->context().state().remove("holds:" + get(ada, "/api/admin/host").at("/hostId"));
        host->reload();
        equal("restart", record("/reason", "?status=expired"));
        equal("hold_expired", confirm(held).code());
        made(hold(nine, "192.0.2.2"));
    }

    TEST(goesToOneOfMany)
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
        equal(1, won.load());
        equal(0, other.load());
        equal(199, held.load());
    }

    TEST(refusesForeignPages)
    {
        const auto body = jsonWith(R"({"start":"$","timeZone":"UTC"})", nine);
        const std::string target = "/api/public/ada/intro/hold";
        equal("origin_not_allowed", guest(Method::Post, target, body, "192.0.2.1", "https://evil.example").code());
        equal(201, guest(Method::Post, target, body, "192.0.2.1", host->context().host().origin).status);
    }

    TEST(letsPagesInThatTheOperatorNames)
    {
        host->context().services().offer<interfaces::ServiceCatalog>(_catalog);
        const auto body = jsonWith(R"({"start":"$","timeZone":"UTC"})", nine);
        const std::string target = "/api/public/ada/intro/hold";
        equal(201, guest(Method::Post, target, body, "192.0.2.1", "https://shop.example").status);
        equal("embed", record("/source"));
        equal(403, guest(Method::Post, target, body, "192.0.2.1", "https://shop.example.evil.example").status);
    }

    OperatorCatalog _catalog;

    testing::TestAnswer release(const std::string& id, const std::string& token) const
    {
        testing::TestRequest request{Method::Delete, "/api/public/holds/" + id, {}, {{"X-Hold-Token", token}}, Caller::nobody()};
        return host->call(request);
    }
    /// Reads a member of the newest hold's record.
    std::string record(const std::string& member, const std::string& query = {}) const
    {
        return get(ada, "/api/admin/holds" + query).at("/items/0" + member);
    }

    const std::string nine = "2026-11-24T08:00:00Z";
};
} // namespace portico::tests
