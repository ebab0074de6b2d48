#include "calendar/CalendarFixture.h"
#include "calendar/OneMember.h"

#include "portico/interfaces/BindableResources.h"

#include <array>
#include <chrono>

namespace portico::tests
{

/// Hosts: setup, handles, and the host on which a caller acts.
class CalendarHostTest : public Suite<CalendarHostTest, CalendarFixture>
{
    TEST(setsUp)
    {
        const auto before = get(ada, "/api/admin/context");
        equal("true", before.at("/needsSetup"));
        equal("null", before.at("/host"));
        equal(404, get(ada, "/api/admin/host").status);
        const auto set = newHost(ada, "ada");
        equal(ada.organizationId, set.at("/organizationId"));
        equal("300", set.at("/holdSeconds"));
        const auto after = get(ada, "/api/admin/context");
        equal("false", after.at("/needsSetup"));
        equal(set.at("/hostId"), after.at("/host/hostId"));
        const auto schedule = get(ada, "/api/admin/schedules/" + set.at("/defaultScheduleId"));
        equal(5, schedule.count("/weeklyRules"));
        equal("09:00", schedule.at("/weeklyRules/0/start"));
        equal("Europe/Berlin", schedule.at("/timeZone"));
        equal("host_exists", post(ada, "/api/admin/host", body("other")).code());
    }

    TEST(refusesWhatCannotBe)
    {
        for (const std::string handle : {"ab", "-ada", "ada-", "Ada", "a.da", "api", "public", "embed", "", "a_b"})
            equal(400, post(ada, "/api/admin/host", body(handle)).status, handle);
        equal("unknown_time_zone",
              post(ada, "/api/admin/host", R"({"handle":"ada","displayName":"Ada","timeZone":"Mars"})").at("/errors/0/code"));
        const auto rules =
            post(ada, "/api/admin/host",
                 R"({"handle":"ada","displayName":"Ada","timeZone":"UTC","weeklyRules":[{"weekday":8,"start":"9:00","end":"10:00"}]})");
        equal(400, rules.status);
        equal("true", get(ada, "/api/admin/context").at("/needsSetup"));
    }

    TEST(givesAHandleOnce)
    {
        newHost(ada, "ada");
        equal("handle_taken", post(stranger, "/api/admin/host", body("ada")).code());
        // Nothing of the refused one stays.
        equal("true", get(stranger, "/api/admin/context").at("/needsSetup"));
        const auto told = get(stranger, "/api/admin/handles/ada");
        equal("false", told.at("/available"));
        equal("ada-2", told.at("/suggestions/0"));
        equal("true", get(stranger, "/api/admin/handles/ada-2").at("/available"));
        equal("true", get(ada, "/api/admin/handles/ada").at("/available"));
    }

    TEST(keepsAHandleThatWasGivenUp)
    {
        newHost(ada, "ada");
        equal(200, put(ada, "/api/admin/host", R"({"handle":"lovelace"})").status);
        equal("ada", get(ada, "/api/admin/host").at("/previousHandles/0/handle"));
        equal("handle_taken", post(stranger, "/api/admin/host", body("ada")).code());
        // The former owner may take the handle again.
        equal(200, put(ada, "/api/admin/host", R"({"handle":"ada"})").status);
        const auto back = get(ada, "/api/admin/host");
        equal(1, back.count("/previousHandles"));
        equal("lovelace", back.at("/previousHandles/0/handle"));
        clock().advance(std::chrono::days(181));
        equal(0, get(ada, "/api/admin/host").count("/previousHandles"));
        newHost(stranger, "lovelace");
    }

    TEST(changes)
    {
        newHost(ada, "ada");
        const auto paused = put(ada, "/api/admin/host", R"({"status":"paused","branding":{"accentColor":"#0a5c36"},"dailyLimit":4})");
        equal(200, paused.status, paused.body);
        equal("#0a5c36", paused.at("/branding/accentColor"));
        equal("2", paused.at("/version"));
        for (const std::string body : {R"({"holdSeconds":59})", R"({"locale":"<b>"})", R"({"locale":"en_US"})", R"({"locale":"de-"})",
                                       R"({"branding":{"accentColor":"red"}})", R"({"timeZone":"Mars"})", R"({"weekStart":0})",
                                       R"({"displayName":" "})", R"({"avatarUrl":"javascript:x"})", R"({"defaultScheduleId":null})",
                                       R"({"defaultScheduleId":"sch_01jd0000000000000000000000"})"})
            equal(400, put(ada, "/api/admin/host", body).status, body);
        equal("2", get(ada, "/api/admin/host").at("/version"));
        testing::TestRequest stale{Method::Put, "/api/admin/host", R"({"bio":"x"})", {{"If-Match", "\"1\""}}, ada};
        equal(412, host->call(stale).status);
    }

    TEST(anotherDefaultScheduleChangesTheOfferedHoursAtOnce)
    {
        newHost(ada, "ada");
        made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro","durationMinutes":60})"));
        // Wednesday.
        const auto first = [&]
        {
            return get(Caller::nobody(), "/api/public/ada/intro/availability?from=2026-11-25T00:00:00Z&to=2026-11-26T00:00:00Z")
                .at("/slots/0/start");
        };
        equal("2026-11-25T08:00:00.000Z", first());
        const auto evenings =
            made(post(ada, "/api/admin/schedules", R"({"name":"Evenings","weeklyRules":[{"weekday":3,"start":"18:00","end":"20:00"}]})"))
                .at("/scheduleId");
        equal(200, put(ada, "/api/admin/host", jsonWith(R"({"defaultScheduleId":"$"})", evenings)).status);
        equal("2026-11-25T17:00:00.000Z", first());
    }

    TEST(actsOnOnesOwnHost)
    {
        const auto other = newHost(stranger, "bob").at("/hostId");
        newHost(ada, "ada");
        auto colleague = newMember(ada.organizationId);
        equal(404, get(colleague, "/api/admin/host").status);
        equal(404, get(colleague, "/api/admin/event-types").status);
        equal(403, get(ada, "/api/admin/host?hostId=" + other).status);
        colleague.permissions = {"calendar.host:manage", "calendar.host:read"};
        equal(404, get(colleague, "/api/admin/host?hostId=" + other).status);
    }

    TEST(actsOnOthersWithTheRight)
    {
        const auto id = newHost(ada, "ada").at("/hostId");
        auto colleague = newMember(ada.organizationId);
        equal(403, get(colleague, "/api/admin/host?hostId=" + id).status);
        colleague.permissions.insert(std::ranges::lower_bound(colleague.permissions, "calendar.host:manage"), "calendar.host:manage");
        equal(200, get(colleague, "/api/admin/host?hostId=" + id).status);
        made(post(colleague, "/api/admin/event-types?hostId=" + id, R"({"slug":"intro","title":"Intro"})"));
        equal(1, get(ada, "/api/admin/event-types").count("/items"));
    }

    TEST(actsByKeys)
    {
        const auto id = newHost(ada, "ada").at("/hostId");
        const auto organizationKey = asKey(ada, ada.organizationId), ownKey = asKey(ada, ada.principalId);
        equal("bearer_required", get(ownKey, "/api/admin/host").code());
        equal(200, get(ownKey, "/api/host").status);
        equal(200, get(organizationKey, "/api/host").status);
        equal(403, post(organizationKey, "/api/host", body("key")).status);
        // The Location header for a key is a path that accepts keys.
        const auto type = made(post(ownKey, "/api/event-types", R"({"slug":"call","title":"Call"})"));
        const auto place = type.headerBlock().substr(type.headerBlock().find("Location: ") + 10);
        equal("/api/event-types/" + type.at("/eventTypeId"), place.substr(0, place.find("\r\n")));
        const auto colleague = newMember(ada.organizationId);
        const auto second = newHost(colleague, "bob").at("/hostId");
        equal(400, get(organizationKey, "/api/host").status);
        equal("bob", get(organizationKey, "/api/host?hostId=" + second).at("/handle"));
        equal(403, get(ownKey, "/api/host?hostId=" + second).status);
        auto narrowed = organizationKey;
        narrowed.boundResources = {{"host", {id}}};
        equal("resource_not_bound", get(narrowed, "/api/host?hostId=" + second).code());
        equal(200, get(narrowed, "/api/host?hostId=" + id).status);
    }

    TEST(showsTheTileOfAHost)
    {
        const auto organizationKey = asKey(ada, ada.organizationId);
        const auto status = [&](const Caller& caller, const std::string& query = {})
        {
            const auto shown = get(caller, "/api/widget" + query);
            return shown.status == 200 ? shown.at("/status") : std::to_string(shown.status) + " " + shown.code();
        };
        equal("setup_required", status(ada));
        equal("setup_required", status(organizationKey));
        const auto id = newHost(ada, "ada").at("/hostId");
        equal("empty", status(ada));
        equal("empty", status(organizationKey));
        auto colleague = newMember(ada.organizationId);
        equal("setup_required", status(colleague));
        equal("403 permission_denied", status(colleague, "?hostId=" + id));
        newHost(colleague, "bob");
        equal("400 validation_failed", status(organizationKey));
        equal("empty", status(organizationKey, "?widgetId=overview&hostId=" + id));
        colleague.permissions.insert(std::ranges::lower_bound(colleague.permissions, "calendar.host:manage"), "calendar.host:manage");
        equal("empty", status(colleague, "?hostId=" + id));
        equal("404 not_found", status(colleague, "?hostId=hst_" + makeUlid(Instant{})));
        auto narrowed = organizationKey;
        narrowed.boundResources = {{"host", {id}}};
        equal("empty", status(narrowed, "?hostId=" + id));
        auto others = asKey(colleague, colleague.principalId);
        others.boundResources = {{"host", {id}}};
        equal("403 resource_not_bound", status(others));
    }

    TEST(isFoundForAKey)
    {
        const auto set = made(post(ada, "/api/admin/host", R"({"handle":"ada","displayName":"Ada M\u00dcLLER","timeZone":"UTC"})"));
        auto& bindable = *host->context().services().provided<interfaces::BindableResources>();
        for (const auto* words : {"", "ada", "m\u00fcller", "MULLER"})
        {
            const auto found = bindable.list(ada, "host", words, "", 10);
            equal(1, found.size(), words);
            equal(set.at("/hostId"), found.at(0).id);
        }
        CHECK(bindable.list(ada, "host", "m%ller", "", 10).empty());
        CHECK(bindable.list(ada, "host", "", set.at("/hostId"), 10).empty());
    }

    /// Changes without an event reach open pages after the commit.
    TEST(changesReachOpenPages)
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
        equal("calendar.host ", told());
        put(ada, "/api/admin/host", R"({"bio":"Mathematics"})");
        equal("calendar.host ", told());
        for (const auto& [path, id, what, body] :
             {std::array<std::string, 4>{"/api/admin/schedules", "/scheduleId", "calendar.schedules ",
                                         R"({"name":"Evenings","weeklyRules":[]})"},
              {"/api/admin/event-types", "/eventTypeId", "calendar.event_types ", R"({"slug":"intro","title":"Intro"})"}})
        {
            const auto one = path + "/" + made(post(ada, path, body)).at(id);
            equal(what, told());
            equal(412, host->call(testing::TestRequest{Method::Put, one, body, {{"If-Match", "\"7\""}}, ada}).status);
            equal("", told());
            equal(200, del(ada, one).status);
            equal(what, told());
        }
        put(stranger, "/api/admin/host", R"({"bio":"x"})");
        newHost(stranger, "bob");
        equal("", told());
    }

    TEST(pausesWhoHasLeft)
    {
        OneMember directory;
        host->context().services().offer<interfaces::Directory>(directory);
        newHost(ada, "ada");
        const auto tell = [&](const std::string& user, const std::string& type = "membership.changed", const std::string& what = "x")
        {
            const Event event{"evt_1", "identity." + type, ada.organizationId, jsonWith(R"({"id":"$","change":"$"})", user, what), {}};
            equal(1, host->context().events().deliver(event));
            return get(ada, "/api/admin/host").at("/status");
        };
        // Ignores changes of a role, and of users without a host.
        equal("active", tell(ada.principalId));
        directory.left = true;
        equal("active", tell(stranger.principalId));
        for (int time = 0; time < 2; ++time) equal("paused", tell(ada.principalId));
        equal("2", get(ada, "/api/admin/host").at("/version"));
        // Suspended members cannot see their bookings either.
        put(ada, "/api/admin/host", R"({"status":"active"})");
        directory.left = false;
        equal("active", tell(ada.principalId));
        directory.suspended = true;
        equal("paused", tell(ada.principalId));
        // An operator may suspend the account in another organization.
        put(ada, "/api/admin/host", R"({"status":"active"})");
        const auto updated = [&](const std::string& details)
        {
            const auto data = jsonWith(R"({"id":"$","change":"user.updated","details":$})", ada.principalId, details);
            host->context().events().deliver({"evt_2", "identity.user.updated", stranger.organizationId, data, {}});
            return get(ada, "/api/admin/host").at("/status");
        };
        equal("active", updated("null"));
        equal("active", updated(R"({"status":"active","platformRole":""})"));
        equal("paused", updated(R"({"status":"suspended","platformRole":""})"));
        directory.left = true;
        // Deleting the organization pauses all hosts.
        put(ada, "/api/admin/host", R"({"status":"active"})");
        equal("active", tell(ada.organizationId, "organization.updated", "organization.updated"));
        equal("paused", tell(ada.organizationId, "organization.updated", "organization.deleted"));
    }

    static std::string body(const std::string& handle)
    {
        return jsonWith(R"({"handle":"$","displayName":"Ada","timeZone":"Europe/Berlin"})", handle);
    }
};
} // namespace portico::tests
