#include "calendar/BookingFixture.h"

#include "portico/interfaces/PersonalData.h"

#include <map>

namespace portico::tests
{

/// Export and erasure of personal data.
class CalendarPersonTest : public Suite<CalendarPersonTest, BookingFixture>
{
    TEST(givesHostAndBookings)
    {
        booked("2026-11-24T08:00:00Z");
        newGrant();
        const auto mine = given({ada.principalId, "ada@example.org", {ada.organizationId}});
        equal(1, mine.count("hosts"));
        equal(1, mine.count("schedules"));
        equal(1, mine.count("eventTypes"));
        equal(0, mine.count("bookings"));
        equal(1, mine.count("embedGrants"));
        const auto guests = given({"usr_" + makeUlid(Instant{}), "GRACE@example.org", {}});
        equal(1, guests.size());
        CHECK(guests.find("bookings")->second.find("Intro call") != std::string::npos);
        CHECK(guests.find("bookings")->second.find("Token") == std::string::npos);
    }

    TEST(forgetsAHost)
    {
        const auto past = booked("2026-11-23T09:00:00Z").at("/booking/bookingId");
        clock().advance(std::chrono::hours(2));
        const auto booking = booked("2026-11-24T08:00:00Z");
        newGrant();
        for (int time = 0; time < 2; ++time) records().forget({ada.principalId, "ada@example.org", {ada.organizationId}});
        equal("true", get(ada, "/api/admin/context").at("/needsSetup"));
        equal(404, guest(portico::Method::Get, "/api/public/ada").status);
        equal(0, grantsOf(ada.organizationId));
        // The guest's booking still exists, and was cancelled with a mail.
        const auto link = "/api/public/bookings/" + booking.at("/booking/bookingId") + "?token=" + tokenOf(booking);
        const auto told = guest(portico::Method::Get, link);
        equal("Former member", told.at("/host/displayName"));
        equal("cancelled system", told.at("/status") + " " + told.at("/cancellation/by"));
        equal("confirmed confirmed cancelled", events());
        equal("Cancelled: Intro call with Ada", host->context().mailer().sent().back().subject);
        equal("confirmed", statusOf(past));
        newHost(stranger, "ada");
    }

    TEST(forgetsAGuest)
    {
        const auto id = booked("2026-11-24T08:00:00Z").at("/booking/bookingId");
        step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z","reason":"Grace is ill"})");
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto declined = booked("2026-11-24T08:00:00Z").at("/booking/bookingId");
        step(declined, "decline", R"({"reason":"Grace again"})");
        for (int time = 0; time < 2; ++time) records().forget({"usr_" + makeUlid(Instant{}), "Grace@Example.org", {}});
        for (const auto& each : {id, declined})
            CHECK(get(ada, "/api/admin/bookings/" + each + "?include=history").body.find("Grace") == std::string::npos);
        const auto kept = get(ada, "/api/admin/bookings/" + id);
        equal("Former guest", kept.at("/guest/name"));
        equal("confirmed", kept.at("/status"));
        CHECK(kept.body.find("race@") == std::string::npos);
        CHECK(given({"usr_" + makeUlid(Instant{}), "grace@example.org", {}}).empty());
    }

    TEST(knowsWhoWasBroughtAlong)
    {
        newType(R"({"slug":"team","title":"Team","allowAdditionalGuests":3})");
        const auto held = made(hold("2026-11-24T08:00:00Z", "192.0.2.9", {}, "team"));
        const auto id =
            made(confirm(held, R"(,"additionalGuests":[{"name":"Emmy","email":"Emmy_N@example.org"},{"email":"emmyxn@example.org"}])",
                         "team"))
                .at("/booking/bookingId");
        const interfaces::Person emmy{"usr_" + makeUlid(Instant{}), "emmy_n@example.org", {}};
        const auto mine = given(emmy);
        equal(1, mine.size());
        CHECK(mine.begin()->second.find("Emmy_N@example.org") != std::string::npos);
        CHECK(mine.begin()->second.find("emmyxn") == std::string::npos);
        for (int time = 0; time < 2; ++time) records().forget(emmy);
        CHECK(given(emmy).empty());
        equal(R"([{"name":"","email":"emmyxn@example.org"}])", get(ada, "/api/admin/bookings/" + id).at("/additionalGuests"));
    }

    std::string statusOf(const std::string& booking) const
    {
        auto session = host->context().database().session();
        return *session.value<std::string>("SELECT status FROM booking WHERE id = $1", booking);
    }
    std::string newGrant() const
    {
        return made(post(ada, "/api/admin/embed", jsonWith(R"({"origins":["$"]})", host->context().host().origins.begin()->second)))
            .at("/embedId");
    }
    std::int64_t grantsOf(const std::string& organization) const
    {
        auto session = host->context().database().session();
        return *session.value<std::int64_t>("SELECT count(*) FROM embed_grant WHERE organization_id = $1", organization);
    }
    interfaces::PersonalData& records() const { return *host->context().services().provided<interfaces::PersonalData>(); }
    std::multimap<std::string, std::string> given(const interfaces::Person& person) const
    {
        std::multimap<std::string, std::string> all;
        records().give(person, [&](std::string_view kind, std::string_view json) { all.emplace(kind, json); });
        return all;
    }
};
} // namespace portico::tests
