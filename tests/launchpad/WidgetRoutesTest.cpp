#include "launchpad/LaunchpadFixture.h"

#include "widgets/WidgetRoutes.h"

#include <vector>

namespace portico::tests
{

using namespace std::chrono_literals;

/// The routes of widgets for callers of every kind.
class WidgetRoutesTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(WidgetRoutesTest);
    CPPUNIT_TEST(batchOfTheInstalledApps);
    CPPUNIT_TEST(hiddenWidgetsAreExcluded);
    CPPUNIT_TEST(keysAndCookies);
    CPPUNIT_TEST(rejectsBadBatches);
    CPPUNIT_TEST(remoteAppsAreNotInstalledByDefault);
    CPPUNIT_TEST(listsWidgets);
    CPPUNIT_TEST(ownWidgetCounts);
    CPPUNIT_TEST(languagesOfBrowsers);
    CPPUNIT_TEST(eventsOfAppsReachStreams);
    CPPUNIT_TEST(eventsWithARecipientReachOneMember);
    CPPUNIT_TEST(onlyTheRecipientsCacheIsOutdated);
    CPPUNIT_TEST(aReportedChangeOutdatesTheCache);
    CPPUNIT_TEST_SUITE_END();

public:
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

private:
    void addWidget(const std::string& id, bool remote)
    {
        auto& entry = registry.entries.find(id)->second;
        entry.remote = remote;
        entry.manifest = R"({"widget":{"url":"/api/widget","widgets":[{"id":"overview","title":"Overview","sizes":["s","m"]}]}})";
        ++registry.changes;
    }

    void batchOfTheInstalledApps()
    {
        const auto answer = made(post(member, "/api/widgets"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, answer.count("/widgets"));
        CPPUNIT_ASSERT_EQUAL(std::string("calendar"), answer.at("/widgets/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("native"), answer.at("/widgets/0/source"));
        CPPUNIT_ASSERT_EQUAL(std::string("Title of calendar"), answer.at("/widgets/0/widget/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("organization"), answer.at("/activeContext/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("2000"), answer.at("/budgetMs"));
        CPPUNIT_ASSERT_EQUAL(std::string("cache"), made(post(member, "/api/widgets")).at("/widgets/0/source"));
        const auto personalAnswer = made(post(personal(member), "/api/widgets"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, personalAnswer.count("/widgets"));
        const auto listed = made(post(personal(member), "/api/widgets", R"({"widgets":[{"service_id":"crm"}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_in_context"), listed.at("/excluded/0/reason"));
    }

    void hiddenWidgetsAreExcluded()
    {
        made(patch(member, "/api/preferences", R"({"hidden":["social"],"order":["crm","calendar"],
            "widgets":[{"service_id":"calendar","widgetId":"overview","size":"s","column":0,"row":0,"visible":false}]})"));
        const auto answer = made(post(member, "/api/widgets"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, answer.count("/widgets"));
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), answer.at("/widgets/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, answer.count("/excluded"));
        CPPUNIT_ASSERT_EQUAL(std::string("calendar"), answer.at("/excluded/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("hidden"), answer.at("/excluded/0/reason"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host->context().calls().calls().size());
        const auto listed = made(post(member, "/api/widgets", R"({"widgets":[{"service_id":"social"}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("native"), listed.at("/widgets/0/source"));
    }

    void keysAndCookies()
    {
        made(post(newKey({"widgets.read"}), "/api/widgets"));
        assertProblem(post(newKey({"apps.read"}), "/api/widgets"), 403, "insufficient_scope");
        assertProblem(post(testing::userOf(organization, {}), "/api/widgets"), 403, "permission_denied");
        assertProblem(post(Caller::nobody(), "/api/widgets"), 401, "authentication_required");
        signIns->cookies["handle"] = Caller::share(member);
        testing::TestRequest request;
        request.method = Method::Post;
        request.target = "/api/widgets";
        request.body = "{}";
        request.headers = {{"Cookie", "platform_refresh=handle"}};
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, made(host->call(request)).count("/widgets"));
        request.headers = {{"Cookie", "platform_refresh=unknown"}};
        assertProblem(host->call(request), 401, "session_ended");
    }

    void rejectsBadBatches()
    {
        std::string many;
        for (int i = 0; i < 41; ++i) many += std::string(many.empty() ? "" : ",") + R"({"service_id":"crm"})";
        assertProblem(post(member, "/api/widgets", R"({"widgets":[)" + many + "]}"), 400, "validation_failed");
        assertProblem(post(member, "/api/widgets", R"({"widgets":[{"widgetId":"overview"}]})"), 400, "validation_failed");
        many = many.substr(many.find(',') + 1);
        const auto equal = made(post(member, "/api/widgets", R"({"widgets":[)" + many + "]}"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, equal.count("/widgets"));
    }

    void remoteAppsAreNotInstalledByDefault()
    {
        addWidget("social", true);
        const auto answer = made(post(member, "/api/widgets", R"({"widgets":[{"service_id":"social"},{"service_id":"quro"}]})"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_installed"), answer.at("/excluded/0/reason"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_service"), answer.at("/excluded/1/reason"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, made(post(member, "/api/widgets")).count("/widgets"));
    }

    void listsWidgets()
    {
        const auto answer = made(get(guest, "/api/widgets/catalog"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, answer.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("calendar"), answer.at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["s","m"])"), answer.at("/items/0/sizes"));
        assertProblem(get(newKey({"widgets.read"}), "/api/widgets/catalog"), 403, "bearer_required");
        assertPages("/api/widgets/catalog", [&](const std::string& target) { return get(guest, target); });
    }

    void ownWidgetCounts()
    {
        const auto answer = made(get(admin, "/api/widget?widgetId=overview&context=organization&organizationId=" + organization));
        CPPUNIT_ASSERT_EQUAL(std::string("launchpad"), answer.at("/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, answer.count("/metrics"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), answer.at("/counts/attention"));
        CPPUNIT_ASSERT_EQUAL(std::string(),
                             launchpad::readWidget(answer.body, {"launchpad", "overview", "organization", organization}).fault);
        assertProblem(get(admin, "/api/widget?widgetId=other"), 404, "widget_not_found");
        assertProblem(get(admin, "/api/widget?context=personal"), 403, "permission_denied");
    }

    static Event event(const std::string& type, const std::string& organizationId)
    {
        return {"evt_" + makeUlid(Instant{}), type, organizationId, "{}", Instant{}};
    }

    void eventsOfAppsReachStreams()
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
        CPPUNIT_ASSERT((reports() == std::vector<std::string>{organization + R"(/widgets {"service_id":"crm","widgetId":"overview")"}));
        for (int i = 0; i < 10; ++i) context.events().deliver(event("crm.contact.updated", organization));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("at most one in two seconds", std::size_t{1}, reports().size());
        advance(2s);
        context.jobs().runDue();
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the last change is not lost", std::size_t{2}, reports().size());
        context.jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, reports().size());
        context.events().deliver(event("crm.contact.created", "org_other"));
        CPPUNIT_ASSERT(reports().back().starts_with("org_other/"));
        context.events().deliver(event("calendar.booking.confirmed", organization));
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, reports().size());

        const auto stream = get(member, "/api/widgets/stream");
        CPPUNIT_ASSERT_EQUAL(200, stream.status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, context.channels().streams());
        assertProblem(get(testing::userOf(organization, {}), "/api/widgets/stream"), 403, "permission_denied");
        assertProblem(get(Caller::nobody(), "/api/widgets/stream"), 401, "authentication_required");
    }

    void eventsWithARecipientReachOneMember()
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
        deliver(R"({"eventId":"evt_1","recipient":{"userId":")" + member.principalId + R"(","email":"a@example.org"},"more":[1]})");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, reports(concerned));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, reports(other));
        // A change for all waits for no report to one.
        deliver(R"({"recipient":"all"})");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, reports(concerned));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, reports(other));
        // Callers of another organization do not read the channels of this one.
        const auto elsewhere = get(stranger, "/api/widgets/stream");
        advance(2s);
        deliver(R"({"recipient":{"userId":")" + stranger.principalId + "\"}}");
        for (const auto* stream : {&concerned, &other, &elsewhere}) CPPUNIT_ASSERT_EQUAL(std::size_t{0}, reports(*stream));
    }

    void onlyTheRecipientsCacheIsOutdated()
    {
        const auto sourceOf = [&](const Caller& caller)
        { return made(post(caller, "/api/widgets", R"({"widgets":[{"service_id":"calendar"}]})")).at("/widgets/0/source"); };
        for (const auto* caller : {&member, &admin}) CPPUNIT_ASSERT_EQUAL(std::string("native"), sourceOf(*caller));
        advance(3s);
        auto booked = event("calendar.booking.confirmed", organization);
        booked.data = R"({"recipient":{"userId":")" + member.principalId + "\"}}";
        host->context().events().deliver(booked);
        CPPUNIT_ASSERT_EQUAL(std::string("cache"), sourceOf(admin));
        CPPUNIT_ASSERT_EQUAL(std::string("native"), sourceOf(member));
    }

    void aReportedChangeOutdatesTheCache()
    {
        const auto sourceOf = [&](const Caller& caller)
        { return made(post(caller, "/api/widgets", R"({"widgets":[{"service_id":"crm"}]})")).at("/widgets/0/source"); };
        CPPUNIT_ASSERT_EQUAL(std::string("native"), sourceOf(member));
        advance(3s);
        CPPUNIT_ASSERT_EQUAL(std::string("cache"), sourceOf(member));
        // Changes of another app and of another organization leave it fresh.
        host->context().events().deliver(event("calendar.booking.confirmed", organization));
        host->context().events().deliver(event("crm.contact.created", stranger.organizationId));
        CPPUNIT_ASSERT_EQUAL(std::string("cache"), sourceOf(member));
        host->context().events().deliver(event("crm.contact.created", organization));
        CPPUNIT_ASSERT_EQUAL(std::string("native"), sourceOf(member));
        CPPUNIT_ASSERT_EQUAL(std::string("cache"), sourceOf(member));
    }

    void languagesOfBrowsers()
    {
        using launchpad::localeOf;
        CPPUNIT_ASSERT_EQUAL(std::string("de-AT"), localeOf("de-AT,de;q=0.9,en;q=0.8"));
        CPPUNIT_ASSERT_EQUAL(std::string("fr"), localeOf(" fr ;q=0.5"));
        for (const char* other : {"", "*", "d", "deutsch", "de-", "de--AT", "de_AT", "<script>"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(other, std::string("en"), localeOf(other));
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(WidgetRoutesTest);

} // namespace portico::tests
