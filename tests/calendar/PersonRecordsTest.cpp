#include "calendar/BookingFixture.h"

#include "portico/interfaces/PersonalData.h"

#include <map>

namespace portico::tests
{

/// What people get of what is kept of them, and what is left when they are forgotten.
class CalendarPersonTest : public BookingFixture
{
    CPPUNIT_TEST_SUITE(CalendarPersonTest);
    CPPUNIT_TEST(givesHostAndBookings);
    CPPUNIT_TEST(forgetsAHost);
    CPPUNIT_TEST(forgetsAGuest);
    CPPUNIT_TEST(knowsWhoWasBroughtAlong);
    CPPUNIT_TEST_SUITE_END();

public:
    void givesHostAndBookings()
    {
        booked("2026-11-24T08:00:00Z");
        newGrant();
        const auto mine = given({ada.principalId, "ada@example.org", {ada.organizationId}});
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mine.count("hosts"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mine.count("schedules"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mine.count("eventTypes"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, mine.count("bookings"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mine.count("embedGrants"));
        const auto guests = given({"usr_" + makeUlid(Instant{}), "GRACE@example.org", {}});
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, guests.size());
        CPPUNIT_ASSERT(guests.find("bookings")->second.find("Intro call") != std::string::npos);
        CPPUNIT_ASSERT(guests.find("bookings")->second.find("Token") == std::string::npos);
    }

    void forgetsAHost()
    {
        const auto past = booked("2026-11-23T09:00:00Z").at("/booking/bookingId");
        clock().advance(std::chrono::hours(2));
        const auto booking = booked("2026-11-24T08:00:00Z");
        newGrant();
        for (int time = 0; time < 2; ++time) records().forget({ada.principalId, "ada@example.org", {ada.organizationId}});
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(ada, "/api/admin/context").at("/needsSetup"));
        CPPUNIT_ASSERT_EQUAL(404, guest(portico::Method::Get, "/api/public/ada").status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, grantsOf(ada.organizationId));
        // The guest's booking is still there, and who it was with has told that nobody will come.
        const auto link = "/api/public/bookings/" + booking.at("/booking/bookingId") + "?token=" + tokenOf(booking);
        const auto told = guest(portico::Method::Get, link);
        CPPUNIT_ASSERT_EQUAL(std::string("Former member"), told.at("/host/displayName"));
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled system"), told.at("/status") + " " + told.at("/cancellation/by"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed confirmed cancelled"), events());
        CPPUNIT_ASSERT_EQUAL(std::string("Cancelled: Intro call with Ada"), host->context().mailer().sent().back().subject);
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), statusOf(past));
        newHost(stranger, "ada");
    }

    void forgetsAGuest()
    {
        const auto id = booked("2026-11-24T08:00:00Z").at("/booking/bookingId");
        step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z","reason":"Grace is ill"})");
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto declined = booked("2026-11-24T08:00:00Z").at("/booking/bookingId");
        step(declined, "decline", R"({"reason":"Grace again"})");
        for (int time = 0; time < 2; ++time) records().forget({"usr_" + makeUlid(Instant{}), "Grace@Example.org", {}});
        for (const auto& each : {id, declined})
            CPPUNIT_ASSERT(get(ada, "/api/admin/bookings/" + each + "?include=history").body.find("Grace") == std::string::npos);
        const auto kept = get(ada, "/api/admin/bookings/" + id);
        CPPUNIT_ASSERT_EQUAL(std::string("Former guest"), kept.at("/guest/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), kept.at("/status"));
        CPPUNIT_ASSERT(kept.body.find("race@") == std::string::npos);
        CPPUNIT_ASSERT(given({"usr_" + makeUlid(Instant{}), "grace@example.org", {}}).empty());
    }

    void knowsWhoWasBroughtAlong()
    {
        newType(R"({"slug":"team","title":"Team","allowAdditionalGuests":3})");
        const auto held = made(hold("2026-11-24T08:00:00Z", "192.0.2.9", {}, "team"));
        const auto id =
            made(confirm(held, R"(,"additionalGuests":[{"name":"Emmy","email":"Emmy_N@example.org"},{"email":"emmyxn@example.org"}])",
                         "team"))
                .at("/booking/bookingId");
        const interfaces::Person emmy{"usr_" + makeUlid(Instant{}), "emmy_n@example.org", {}};
        const auto mine = given(emmy);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mine.size());
        CPPUNIT_ASSERT(mine.begin()->second.find("Emmy_N@example.org") != std::string::npos);
        CPPUNIT_ASSERT(mine.begin()->second.find("emmyxn") == std::string::npos);
        for (int time = 0; time < 2; ++time) records().forget(emmy);
        CPPUNIT_ASSERT(given(emmy).empty());
        CPPUNIT_ASSERT_EQUAL(std::string(R"([{"name":"","email":"emmyxn@example.org"}])"),
                             get(ada, "/api/admin/bookings/" + id).at("/additionalGuests"));
    }

private:
    std::string statusOf(const std::string& booking) const
    {
        auto session = host->context().database().session();
        return *session.value<std::string>("SELECT status FROM booking WHERE id = $1", booking);
    }
    std::string newGrant() const
    {
        return made(post(ada, "/api/admin/embed", R"({"origins":[")" + host->context().host().origins.begin()->second + R"("]})"))
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
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarPersonTest);

} // namespace portico::tests
