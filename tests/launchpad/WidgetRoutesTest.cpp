#include "launchpad/LaunchpadFixture.h"

#include "widgets/WidgetRoutes.h"

#include <vector>

namespace portico::tests
{

using namespace std::chrono_literals;

/// The routes of widgets for callers of every kind.
class WidgetRoutesTest : public Suite<WidgetRoutesTest, LaunchpadFixture>
{
    void setUp() override
    {
        settings.neighbours = {"crm", "calendar", "social"};
        LaunchpadFixture::setUp();
        for (const auto* id : {"crm", "calendar", "social"}) addWidget(id, false);
        host->context().calls().answer(
            [this](const Call& call)
            {
                const auto id = call.service.empty() ? call.request.url.substr(8, call.request.url.find('.') - 8) : call.service;
                return testing::FakeCalls::responding(200, boost::json::serialize(boost::json::object{
                                                               {"schemaVersion", 1},
                                                               {"service_id", id},
                                                               {"widgetId", "overview"},
                                                               {"status", "ok"},
                                                               {"title", "Title of " + id},
                                                               {"generatedAt", "2026-11-23T08:00:00.000Z"},
                                                               {"context", {{"kind", "organization"}, {"organizationId", organization}}}}));
            });
    }

    void addWidget(const std::string& id, bool remote)
    {
        auto& entry = registry.entries.find(id)->second;
        entry.remote = remote;
        entry.manifest = R"({"widget":{"url":"/api/widget","widgets":[{"id":"overview","title":"Overview","sizes":["s","m"]}]}})";
        ++registry.changes;
    }

    TEST(batchOfTheInstalledApps)
    {
        const auto answer = made(post(member, "/api/widgets"));
        equal(3, answer.count("/widgets"));
        equal("calendar", answer.at("/widgets/0/service_id"));
        equal("native", answer.at("/widgets/0/source"));
        equal("Title of calendar", answer.at("/widgets/0/widget/title"));
        equal("organization", answer.at("/activeContext/kind"));
        equal("2000", answer.at("/budgetMs"));
        equal("cache", made(post(member, "/api/widgets")).at("/widgets/0/source"));
        const auto personalAnswer = made(post(personal(member), "/api/widgets"));
        equal(0, personalAnswer.count("/widgets"));
        const auto listed = made(post(personal(member), "/api/widgets", R"({"widgets":[{"service_id":"crm"}]})"));
        equal("not_in_context", listed.at("/excluded/0/reason"));
    }

    TEST(hiddenWidgetsAreExcluded)
    {
        made(patch(member, "/api/preferences", R"({"hidden":["social"],"order":["crm","calendar"],
            "widgets":[{"service_id":"calendar","widgetId":"overview","size":"s","column":0,"row":0,"visible":false}]})"));
        const auto answer = made(post(member, "/api/widgets"));
        equal(1, answer.count("/widgets"));
        equal("crm", answer.at("/widgets/0/service_id"));
        equal(2, answer.count("/excluded"));
        equal("calendar", answer.at("/excluded/0/service_id"));
        equal("hidden", answer.at("/excluded/0/reason"));
        equal(1, host->context().calls().calls().size());
        const auto listed = made(post(member, "/api/widgets", R"({"widgets":[{"service_id":"social"}]})"));
        equal("native", listed.at("/widgets/0/source"));
    }

    TEST(keysAndCookies)
    {
        made(post(newKey({"widgets.read"}), "/api/widgets"));
        refused(post(newKey({"apps.read"}), "/api/widgets"), 403, "insufficient_scope");
        refused(post(testing::userOf(organization, {}), "/api/widgets"), 403, "permission_denied");
        refused(post(Caller::nobody(), "/api/widgets"), 401, "authentication_required");
        signIns->cookies["handle"] = Caller::share(member);
        testing::TestRequest request;
        request.method = Method::Post;
        request.target = "/api/widgets";
        request.body = "{}";
        request.headers = {{"Cookie", "platform_refresh=handle"}};
        equal(3, made(host->call(request)).count("/widgets"));
        request.headers = {{"Cookie", "platform_refresh=unknown"}};
        refused(host->call(request), 401, "session_ended");
    }

    TEST(rejectsBadBatches)
    {
        std::string many;
        for (int i = 0; i < 41; ++i) many += std::string(many.empty() ? "" : ",") + R"({"service_id":"crm"})";
        refused(post(member, "/api/widgets", jsonWith(R"({"widgets":[$]})", many)), 400, "validation_failed");
        refused(post(member, "/api/widgets", R"({"widgets":[{"widgetId":"overview"}]})"), 400, "validation_failed");
        many = many.substr(many.find(',') + 1);
        const auto tied = made(post(member, "/api/widgets", jsonWith(R"({"widgets":[$]})", many)));
        equal(1, tied.count("/widgets"));
    }

    TEST(remoteAppsAreNotInstalledByDefault)
    {
        addWidget("social", true);
        const auto answer = made(post(member, "/api/widgets", R"({"widgets":[{"service_id":"social"},{"service_id":"quro"}]})"));
        equal("not_installed", answer.at("/excluded/0/reason"));
        equal("unknown_service", answer.at("/excluded/1/reason"));
        equal(2, made(post(member, "/api/widgets")).count("/widgets"));
    }

    TEST(listsWidgets)
    {
        const auto answer = made(get(guest, "/api/widgets/catalog"));
        equal(3, answer.count("/items"));
        equal("calendar", answer.at("/items/0/service_id"));
        equal(R"(["s","m"])", answer.at("/items/0/sizes"));
        refused(get(newKey({"widgets.read"}), "/api/widgets/catalog"), 403, "bearer_required");
        assertPages("/api/widgets/catalog", [&](const std::string& target) { return get(guest, target); });
    }

    TEST(ownWidgetCounts)
    {
        const auto answer = made(get(admin, "/api/widget?widgetId=overview&context=organization&organizationId=" + organization));
        equal("launchpad", answer.at("/service_id"));
        equal(3, answer.count("/metrics"));
        equal("0", answer.at("/counts/attention"));
        equal("", launchpad::readWidget(answer.body, {"launchpad", "overview", "organization", organization}).fault);
        refused(get(admin, "/api/widget?widgetId=other"), 404, "widget_not_found");
        refused(get(admin, "/api/widget?context=personal"), 403, "permission_denied");
    }

    static Event event(const std::string& type, const std::string& organizationId)
    {
        return {"evt_" + makeUlid(Instant{}), type, organizationId, "{}", Instant{}};
    }

    TEST(eventsOfAppsReachStreams)
    {
        auto& context = host->context();
        const auto reports = [&]
        {
            std::vector<std::string> keys;
            for (const auto& each : context.channels().published())
                if (each.type == "widget") keys.push_back(each.channel.key() + ' ' + each.data.substr(0, each.data.find(",\"revision")));
            return keys;
        };
        context.events().deliver(event("crm.contact.created", organization));
        CHECK((reports() == std::vector<std::string>{organization + R"(/widgets {"service_id":"crm","widgetId":"overview")"}));
        for (int i = 0; i < 10; ++i) context.events().deliver(event("crm.contact.updated", organization));
        equal(1, reports().size(), "at most one in two seconds");
        advance(2s);
        context.jobs().runDue();
        equal(2, reports().size(), "the last change is not lost");
        context.jobs().runDue();
        equal(2, reports().size());
        context.events().deliver(event("crm.contact.created", "org_other"));
        CHECK(reports().back().starts_with("org_other/"));
        context.events().deliver(event("calendar.booking.confirmed", organization));
        equal(4, reports().size());

        const auto stream = get(member, "/api/widgets/stream");
        equal(200, stream.status);
        equal(1, context.channels().streams());
        refused(get(testing::userOf(organization, {}), "/api/widgets/stream"), 403, "permission_denied");
        refused(get(Caller::nobody(), "/api/widgets/stream"), 401, "authentication_required");
    }

    TEST(eventsWithARecipientReachOneMember)
    {
        auto& context = host->context();
        auto booked = event("calendar.booking.confirmed", organization);
        const auto concerned = get(member, "/api/widgets/stream"), other = get(admin, "/api/widgets/stream");
        const auto reports = [](const testing::TestAnswer& stream)
        {
            const auto text = testing::FakeChannels::sentTo(*stream.live);
            std::size_t count = 0;
            for (auto at = text.find("event: widget"); at != std::string::npos; at = text.find("event: widget", at + 1)) ++count;
            return count;
        };
        const auto deliver = [&](std::string data)
        {
            booked.data = std::move(data);
            context.events().deliver(booked);
        };
        deliver(jsonWith(R"({"eventId":"evt_1","recipient":{"userId":"$","email":"a@example.org"},"more":[1]})", member.principalId));
        equal(1, reports(concerned));
        equal(0, reports(other));
        // A change for all waits for no report to one.
        deliver(R"({"recipient":"all"})");
        equal(1, reports(concerned));
        equal(1, reports(other));
        // Callers of another organization do not read the channels of this one.
        const auto elsewhere = get(stranger, "/api/widgets/stream");
        advance(2s);
        deliver(jsonWith(R"({"recipient":{"userId":"$"}})", stranger.principalId));
        for (const auto* stream : {&concerned, &other, &elsewhere}) equal(0, reports(*stream));
    }

    TEST(onlyTheRecipientsCacheIsOutdated)
    {
        const auto sourceOf = [&](const Caller& caller)
        { return made(post(caller, "/api/widgets", R"({"widgets":[{"service_id":"calendar"}]})")).at("/widgets/0/source"); };
        for (const auto* caller : {&member, &admin}) equal("native", sourceOf(*caller));
        advance(3s);
        auto booked = event("calendar.booking.confirmed", organization);
        booked.data = jsonWith(R"({"recipient":{"userId":"$"}})", member.principalId);
        host->context().events().deliver(booked);
        equal("cache", sourceOf(admin));
        equal("native", sourceOf(member));
    }

    TEST(aReportedChangeOutdatesTheCache)
    {
        const auto sourceOf = [&](const Caller& caller)
        { return made(post(caller, "/api/widgets", R"({"widgets":[{"service_id":"crm"}]})")).at("/widgets/0/source"); };
        equal("native", sourceOf(member));
        advance(3s);
        equal("cache", sourceOf(member));
        // Changes of another app and of another organization leave it fresh.
        host->context().events().deliver(event("calendar.booking.confirmed", organization));
        host->context().events().deliver(event("crm.contact.created", stranger.organizationId));
        equal("cache", sourceOf(member));
        host->context().events().deliver(event("crm.contact.created", organization));
        equal("native", sourceOf(member));
        equal("cache", sourceOf(member));
    }

    TEST(languagesOfBrowsers)
    {
        using launchpad::localeOf;
        equal("de-AT", localeOf("de-AT,de;q=0.9,en;q=0.8"));
        equal("fr", localeOf(" fr ;q=0.5"));
        for (const char* other : {"", "*", "d", "deutsch", "de-", "de--AT", "de_AT", "<script>"}) equal("en", localeOf(other), other);
    }
};
} // namespace portico::tests
