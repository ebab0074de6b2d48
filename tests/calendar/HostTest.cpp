#include "calendar/CalendarFixture.h"
#include "calendar/OneMember.h"

#include "portico/interfaces/BindableResources.h"

#include <array>
#include <chrono>

namespace portico::tests
{

/// Hosts: setting up, handles, and whose host a caller acts on.
class CalendarHostTest : public CalendarFixture
{
    CPPUNIT_TEST_SUITE(CalendarHostTest);
    CPPUNIT_TEST(setsUp);
    CPPUNIT_TEST(refusesWhatCannotBe);
    CPPUNIT_TEST(givesAHandleOnce);
    CPPUNIT_TEST(keepsAHandleThatWasGivenUp);
    CPPUNIT_TEST(changes);
    CPPUNIT_TEST(actsOnOnesOwnHost);
    CPPUNIT_TEST(actsOnOthersWithTheRight);
    CPPUNIT_TEST(actsByKeys);
    CPPUNIT_TEST(showsTheTileOfAHost);
    CPPUNIT_TEST(isFoundForAKey);
    CPPUNIT_TEST(tellsOpenPages);
    CPPUNIT_TEST(pausesWhoHasLeft);
    CPPUNIT_TEST_SUITE_END();

public:
    void setsUp()
    {
        const auto before = get(ada, "/api/admin/context");
        CPPUNIT_ASSERT_EQUAL(std::string("true"), before.at("/needsSetup"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), before.at("/host"));
        CPPUNIT_ASSERT_EQUAL(404, get(ada, "/api/admin/host").status);
        const auto set = newHost(ada, "ada");
        CPPUNIT_ASSERT_EQUAL(ada.organizationId, set.at("/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::string("300"), set.at("/holdSeconds"));
        const auto after = get(ada, "/api/admin/context");
        CPPUNIT_ASSERT_EQUAL(std::string("false"), after.at("/needsSetup"));
        CPPUNIT_ASSERT_EQUAL(set.at("/hostId"), after.at("/host/hostId"));
        const auto schedule = get(ada, "/api/admin/schedules/" + set.at("/defaultScheduleId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, schedule.count("/weeklyRules"));
        CPPUNIT_ASSERT_EQUAL(std::string("09:00"), schedule.at("/weeklyRules/0/start"));
        CPPUNIT_ASSERT_EQUAL(std::string("Europe/Berlin"), schedule.at("/timeZone"));
        CPPUNIT_ASSERT_EQUAL(std::string("host_exists"), post(ada, "/api/admin/host", body("other")).code());
    }

    void refusesWhatCannotBe()
    {
        for (const std::string handle : {"ab", "-ada", "ada-", "Ada", "a.da", "api", "public", "embed", "", "a_b"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(handle, 400, post(ada, "/api/admin/host", body(handle)).status);
        CPPUNIT_ASSERT_EQUAL(
            std::string("unknown_time_zone"),
            post(ada, "/api/admin/host", R"({"handle":"ada","displayName":"Ada","timeZone":"Mars"})").at("/errors/0/code"));
        const auto rules =
            post(ada, "/api/admin/host",
                 R"({"handle":"ada","displayName":"Ada","timeZone":"UTC","weeklyRules":[{"weekday":8,"start":"9:00","end":"10:00"}]})");
        CPPUNIT_ASSERT_EQUAL(400, rules.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(ada, "/api/admin/context").at("/needsSetup"));
    }

    void givesAHandleOnce()
    {
        newHost(ada, "ada");
        CPPUNIT_ASSERT_EQUAL(std::string("handle_taken"), post(stranger, "/api/admin/host", body("ada")).code());
        // Nothing of the refused one stays.
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(stranger, "/api/admin/context").at("/needsSetup"));
        const auto told = get(stranger, "/api/admin/handles/ada");
        CPPUNIT_ASSERT_EQUAL(std::string("false"), told.at("/available"));
        CPPUNIT_ASSERT_EQUAL(std::string("ada-2"), told.at("/suggestions/0"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(stranger, "/api/admin/handles/ada-2").at("/available"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get(ada, "/api/admin/handles/ada").at("/available"));
    }

    void keepsAHandleThatWasGivenUp()
    {
        newHost(ada, "ada");
        CPPUNIT_ASSERT_EQUAL(200, put(ada, "/api/admin/host", R"({"handle":"lovelace"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada"), get(ada, "/api/admin/host").at("/previousHandles/0/handle"));
        CPPUNIT_ASSERT_EQUAL(std::string("handle_taken"), post(stranger, "/api/admin/host", body("ada")).code());
        // Who gave it up may have it back.
        CPPUNIT_ASSERT_EQUAL(200, put(ada, "/api/admin/host", R"({"handle":"ada"})").status);
        const auto back = get(ada, "/api/admin/host");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, back.count("/previousHandles"));
        CPPUNIT_ASSERT_EQUAL(std::string("lovelace"), back.at("/previousHandles/0/handle"));
        clock().advance(std::chrono::days(181));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, "/api/admin/host").count("/previousHandles"));
        newHost(stranger, "lovelace");
    }

    void changes()
    {
        newHost(ada, "ada");
        const auto paused = put(ada, "/api/admin/host", R"({"status":"paused","branding":{"accentColor":"#0a5c36"},"dailyLimit":4})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(paused.body, 200, paused.status);
        CPPUNIT_ASSERT_EQUAL(std::string("#0a5c36"), paused.at("/branding/accentColor"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), paused.at("/version"));
        for (const std::string body : {R"({"holdSeconds":59})", R"({"locale":"<b>"})", R"({"locale":"en_US"})", R"({"locale":"de-"})",
                                       R"({"branding":{"accentColor":"red"}})", R"({"timeZone":"Mars"})", R"({"weekStart":0})",
                                       R"({"displayName":" "})", R"({"avatarUrl":"javascript:x"})", R"({"defaultScheduleId":null})",
                                       R"({"defaultScheduleId":"sch_01jd0000000000000000000000"})"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(body, 400, put(ada, "/api/admin/host", body).status);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), get(ada, "/api/admin/host").at("/version"));
        testing::TestRequest stale{Method::Put, "/api/admin/host", R"({"bio":"x"})", {{"If-Match", "\"1\""}}, ada};
        CPPUNIT_ASSERT_EQUAL(412, host->call(stale).status);
    }

    void actsOnOnesOwnHost()
    {
        const auto other = newHost(stranger, "bob").at("/hostId");
        newHost(ada, "ada");
        auto colleague = newMember(ada.organizationId);
        CPPUNIT_ASSERT_EQUAL(404, get(colleague, "/api/admin/host").status);
        CPPUNIT_ASSERT_EQUAL(404, get(colleague, "/api/admin/event-types").status);
        CPPUNIT_ASSERT_EQUAL(403, get(ada, "/api/admin/host?hostId=" + other).status);
        colleague.permissions = {"calendar.host:manage", "calendar.host:read"};
        CPPUNIT_ASSERT_EQUAL(404, get(colleague, "/api/admin/host?hostId=" + other).status);
    }

    void actsOnOthersWithTheRight()
    {
        const auto id = newHost(ada, "ada").at("/hostId");
        auto colleague = newMember(ada.organizationId);
        CPPUNIT_ASSERT_EQUAL(403, get(colleague, "/api/admin/host?hostId=" + id).status);
        colleague.permissions.insert(std::ranges::lower_bound(colleague.permissions, "calendar.host:manage"), "calendar.host:manage");
        CPPUNIT_ASSERT_EQUAL(200, get(colleague, "/api/admin/host?hostId=" + id).status);
        made(post(colleague, "/api/admin/event-types?hostId=" + id, R"({"slug":"intro","title":"Intro"})"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(ada, "/api/admin/event-types").count("/items"));
    }

    void actsByKeys()
    {
        const auto id = newHost(ada, "ada").at("/hostId");
        const auto organizationKey = asKey(ada, ada.organizationId), ownKey = asKey(ada, ada.principalId);
        CPPUNIT_ASSERT_EQUAL(std::string("bearer_required"), get(ownKey, "/api/admin/host").code());
        CPPUNIT_ASSERT_EQUAL(200, get(ownKey, "/api/host").status);
        CPPUNIT_ASSERT_EQUAL(200, get(organizationKey, "/api/host").status);
        CPPUNIT_ASSERT_EQUAL(403, post(organizationKey, "/api/host", body("key")).status);
        // A key is told a place that it may go to.
        const auto type = made(post(ownKey, "/api/event-types", R"({"slug":"call","title":"Call"})"));
        const auto place = type.headerBlock().substr(type.headerBlock().find("Location: ") + 10);
        CPPUNIT_ASSERT_EQUAL("/api/event-types/" + type.at("/eventTypeId"), place.substr(0, place.find("\r\n")));
        const auto colleague = newMember(ada.organizationId);
        const auto second = newHost(colleague, "bob").at("/hostId");
        CPPUNIT_ASSERT_EQUAL(400, get(organizationKey, "/api/host").status);
        CPPUNIT_ASSERT_EQUAL(std::string("bob"), get(organizationKey, "/api/host?hostId=" + second).at("/handle"));
        CPPUNIT_ASSERT_EQUAL(403, get(ownKey, "/api/host?hostId=" + second).status);
        auto narrowed = organizationKey;
        narrowed.boundResources = {{"host", {id}}};
        CPPUNIT_ASSERT_EQUAL(std::string("resource_not_bound"), get(narrowed, "/api/host?hostId=" + second).code());
        CPPUNIT_ASSERT_EQUAL(200, get(narrowed, "/api/host?hostId=" + id).status);
    }

    void showsTheTileOfAHost()
    {
        const auto organizationKey = asKey(ada, ada.organizationId);
        const auto status = [&](const Caller& caller, const std::string& query = {})
        {
            const auto shown = get(caller, "/api/widget" + query);
            return shown.status == 200 ? shown.at("/status") : std::to_string(shown.status) + " " + shown.code();
        };
        CPPUNIT_ASSERT_EQUAL(std::string("setup_required"), status(ada));
        CPPUNIT_ASSERT_EQUAL(std::string("setup_required"), status(organizationKey));
        const auto id = newHost(ada, "ada").at("/hostId");
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), status(ada));
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), status(organizationKey));
        auto colleague = newMember(ada.organizationId);
        CPPUNIT_ASSERT_EQUAL(std::string("setup_required"), status(colleague));
        CPPUNIT_ASSERT_EQUAL(std::string("403 permission_denied"), status(colleague, "?hostId=" + id));
        newHost(colleague, "bob");
        CPPUNIT_ASSERT_EQUAL(std::string("400 validation_failed"), status(organizationKey));
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), status(organizationKey, "?widgetId=overview&hostId=" + id));
        colleague.permissions.insert(std::ranges::lower_bound(colleague.permissions, "calendar.host:manage"), "calendar.host:manage");
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), status(colleague, "?hostId=" + id));
        CPPUNIT_ASSERT_EQUAL(std::string("404 not_found"), status(colleague, "?hostId=hst_" + makeUlid(Instant{})));
        auto narrowed = organizationKey;
        narrowed.boundResources = {{"host", {id}}};
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), status(narrowed, "?hostId=" + id));
        auto others = asKey(colleague, colleague.principalId);
        others.boundResources = {{"host", {id}}};
        CPPUNIT_ASSERT_EQUAL(std::string("403 resource_not_bound"), status(others));
    }

    void isFoundForAKey()
    {
        const auto set = made(post(ada, "/api/admin/host", R"({"handle":"ada","displayName":"Ada M\u00dcLLER","timeZone":"UTC"})"));
        auto& bindable = *host->context().services().provided<interfaces::BindableResources>();
        for (const auto* words : {"", "ada", "m\u00fcller", "MULLER"})
        {
            const auto found = bindable.list(ada, "host", words, "", 10);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(words, std::size_t{1}, found.size());
            CPPUNIT_ASSERT_EQUAL(set.at("/hostId"), found.at(0).id);
        }
        CPPUNIT_ASSERT(bindable.list(ada, "host", "m%ller", "", 10).empty());
        CPPUNIT_ASSERT(bindable.list(ada, "host", "", set.at("/hostId"), 10).empty());
    }

    /// What no event is published for is told, too, once it is committed.
    void tellsOpenPages()
    {
        auto told = [&, seen = std::size_t{0}]() mutable
        {
            std::string types;
            const auto all = host->context().channels().published();
            for (; seen < all.size(); ++seen)
                if (all[seen].channel == Channel(ada.tenant(), "portico.changes")) (types += all[seen].type) += ' ';
            return types;
        };
        newHost(ada, "ada");
        CPPUNIT_ASSERT_EQUAL(std::string("calendar.host "), told());
        put(ada, "/api/admin/host", R"({"bio":"Mathematics"})");
        CPPUNIT_ASSERT_EQUAL(std::string("calendar.host "), told());
        for (const auto& [path, id, what, body] :
             {std::array<std::string, 4>{"/api/admin/schedules", "/scheduleId", "calendar.schedules ",
                                         R"({"name":"Evenings","weeklyRules":[]})"},
              {"/api/admin/event-types", "/eventTypeId", "calendar.event_types ", R"({"slug":"intro","title":"Intro"})"}})
        {
            const auto one = path + "/" + made(post(ada, path, body)).at(id);
            CPPUNIT_ASSERT_EQUAL(what, told());
            CPPUNIT_ASSERT_EQUAL(412, host->call(testing::TestRequest{Method::Put, one, body, {{"If-Match", "\"7\""}}, ada}).status);
            CPPUNIT_ASSERT_EQUAL(std::string(), told());
            CPPUNIT_ASSERT_EQUAL(200, del(ada, one).status);
            CPPUNIT_ASSERT_EQUAL(what, told());
        }
        put(stranger, "/api/admin/host", R"({"bio":"x"})");
        newHost(stranger, "bob");
        CPPUNIT_ASSERT_EQUAL(std::string(), told());
    }

    void pausesWhoHasLeft()
    {
        OneMember directory;
        host->context().services().offer<interfaces::Directory>(directory);
        newHost(ada, "ada");
        const auto tell = [&](const std::string& user, const std::string& type = "membership.changed", const std::string& what = "x")
        {
            const Event event{
                "evt_1", "identity." + type, ada.organizationId, R"({"id":")" + user + R"(","change":")" + what + R"("})", {}};
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host->context().events().deliver(event));
            return get(ada, "/api/admin/host").at("/status");
        };
        // Of another role, or of somebody without a host.
        CPPUNIT_ASSERT_EQUAL(std::string("active"), tell(ada.principalId));
        directory.left = true;
        CPPUNIT_ASSERT_EQUAL(std::string("active"), tell(stranger.principalId));
        for (int time = 0; time < 2; ++time) CPPUNIT_ASSERT_EQUAL(std::string("paused"), tell(ada.principalId));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), get(ada, "/api/admin/host").at("/version"));
        // Who is suspended sees no bookings either.
        put(ada, "/api/admin/host", R"({"status":"active"})");
        directory.left = false;
        CPPUNIT_ASSERT_EQUAL(std::string("active"), tell(ada.principalId));
        directory.suspended = true;
        CPPUNIT_ASSERT_EQUAL(std::string("paused"), tell(ada.principalId));
        // By an operator, whose organization is another one.
        put(ada, "/api/admin/host", R"({"status":"active"})");
        const auto updated = [&](const std::string& details)
        {
            const auto data = R"({"id":")" + ada.principalId + R"(","change":"user.updated","details":)" + details + "}";
            host->context().events().deliver({"evt_2", "identity.user.updated", stranger.organizationId, data, {}});
            return get(ada, "/api/admin/host").at("/status");
        };
        CPPUNIT_ASSERT_EQUAL(std::string("active"), updated("null"));
        CPPUNIT_ASSERT_EQUAL(std::string("active"), updated(R"({"status":"active","platformRole":""})"));
        CPPUNIT_ASSERT_EQUAL(std::string("paused"), updated(R"({"status":"suspended","platformRole":""})"));
        directory.left = true;
        // With the organization everybody has left.
        put(ada, "/api/admin/host", R"({"status":"active"})");
        CPPUNIT_ASSERT_EQUAL(std::string("active"), tell(ada.organizationId, "organization.updated", "organization.updated"));
        CPPUNIT_ASSERT_EQUAL(std::string("paused"), tell(ada.organizationId, "organization.updated", "organization.deleted"));
    }

private:
    static std::string body(const std::string& handle)
    {
        return R"({"handle":")" + handle + R"(","displayName":"Ada","timeZone":"Europe/Berlin"})";
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarHostTest);

} // namespace portico::tests
