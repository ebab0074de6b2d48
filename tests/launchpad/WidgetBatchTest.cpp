#include "launchpad/SourceFolders.h"
#include "support/Suite.h"

#include "widgets/WidgetBatch.h"

#include "portico/Json.h"
#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"
#include "portico/testing/TestHost.h"

#include <boost/json.hpp>

#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace portico::tests
{

using namespace portico::launchpad;
using namespace std::chrono_literals;
using testing::FakeCalls;
using Outcome = CallResult::Outcome;

namespace
{

/// Access versions that a test sets.
class Versions final : public interfaces::ServiceCatalog
{
public:
    std::vector<interfaces::CatalogEntry> services() override { return {}; }
    std::optional<interfaces::CatalogEntry> service(std::string_view) override { return std::nullopt; }
    std::vector<interfaces::CatalogAccess> accessOf(const Caller&) override { return {}; }
    std::vector<std::string> accessVersions(const Caller& caller, const std::vector<std::string>& services) override
    {
        std::vector<std::string> all;
        for (const auto& service : services)
        {
            const auto found = changed.find(service);
            all.push_back(caller.role + (found == changed.end() ? "" : found->second));
        }
        return all;
    }
    std::map<std::string, std::string> changed;
};

class Tokens final : public interfaces::SignIns
{
public:
    interfaces::Handoff handoff(const Caller&, const interfaces::HandoffWish&) override { return {}; }
    interfaces::ContextChange changeContext(const Caller&, std::string_view, std::string_view) override { return {}; }
    void selectHousehold(const Caller&, std::string_view) override {}
    std::shared_ptr<const Caller> behindRefreshCookie(std::string_view, std::string_view, std::string_view) override { return nullptr; }
    std::string widgetToken(const Caller& caller, std::string_view service) override
    {
        return refused == service ? std::string() : "token-" + caller.principalId + '-' + std::string(service);
    }
    std::string refused;
};

} // namespace

/// Batches of widgets: cache, stale payloads, metadata, budgets, breaker, single flight.
class WidgetBatchTest : public Suite<WidgetBatchTest>
{
    void setUp() override
    {
        settings = {};
        settings.pluginDirectory = launchpadPluginFolder();
        settings.neighbours = {"crm", "calendar", "social"};
        begin();
    }
    void tearDown() override
    {
        batch.reset();
        context.reset();
    }

    void begin()
    {
        batch.reset();
        context = std::make_unique<testing::TestContext>(settings);
        context->clock().jumpTo(*parseInstant("2026-11-23T08:00:00Z"));
        context->services().offer<interfaces::ServiceCatalog>(versions);
        context->services().offer<interfaces::SignIns>(tokens);
        apps.clear();
        for (const auto* id : {"crm", "calendar", "social"}) apps.push_back(app(id, true));
        for (int i = 0; i < 37; ++i) apps.push_back(app("remote-" + std::to_string(i), false));
        batch = std::make_unique<WidgetBatch>(*context, [this](const Caller&) { return apps; });
        batch->start();
        answers.clear();
        context->calls().answer([this](const Call& call) { return answerTo(call); });
        caller = testing::userOf("org_1", {"launchpad.widgets:read"});
        caller.role = "admin";
    }

    static WidgetApp app(const std::string& id, bool local)
    {
        WidgetApp made;
        made.serviceId = id;
        made.name = "App " + id;
        made.launchUrl = "https://" + id + ".example/start";
        made.widgetUrl = "https://" + id + ".example/api/widget";
        made.local = local;
        made.widgets = {{"overview", "Overview", {}}};
        return made;
    }

    static std::string payload(const std::string& service, int value = 1, const std::string& organization = "org_1")
    {
        return boost::json::serialize(boost::json::object{{"schemaVersion", 1},
                                                          {"service_id", service},
                                                          {"widgetId", "overview"},
                                                          {"status", "ok"},
                                                          {"title", "T"},
                                                          {"generatedAt", "2026-11-23T08:00:00.000Z"},
                                                          {"context", {{"kind", "organization"}, {"organizationId", organization}}},
                                                          {"counts", {{"attention", value}, {"unread", 0}}}});
    }

    static std::string serviceOf(const Call& call)
    {
        if (!call.service.empty()) return call.service;
        const auto host = call.request.url.substr(8);
        return host.substr(0, host.find('.'));
    }

    CallResult answerTo(const Call& call)
    {
        const auto service = serviceOf(call);
        const auto found = answers.find(service);
        return found == answers.end() ? FakeCalls::responding(200, payload(service)) : found->second;
    }

    BatchAnswer run(std::vector<WidgetReference> widgets = {}, bool refresh = false)
    {
        FetchContext asked;
        asked.requestId = "req-1";
        asked.clientAddress = "192.0.2.1";
        asked.locale = locale;
        return batch->run(caller, {std::move(widgets), refresh}, asked);
    }
    const WidgetTile& tile(const BatchAnswer& answer, const std::string& service) const
    {
        const auto found = std::ranges::find(answer.widgets, service, &WidgetTile::serviceId);
        CPPUNIT_ASSERT_MESSAGE(service, found != answer.widgets.end());
        return *found;
    }
    std::int64_t attention(const WidgetTile& shown) const
    {
        return boost::json::parse(shown.widget.text).at("counts").at("attention").as_int64();
    }
    static std::string code(const WidgetTile& shown) { return shown.error ? shown.error->code : ""; }

    TEST(fetchesFromAppsOfThisHostAndOfOthers)
    {
        const auto answer = run();
        equal(40, answer.widgets.size());
        for (const auto& shown : answer.widgets) CHECK(shown.source == WidgetSource::Native && !shown.error);
        const auto calls = context->calls().calls();
        equal(40, calls.size());
        const auto& local = calls.front();
        equal("crm", local.service);
        equal("/api/widget?widgetId=overview&context=organization&organizationId=org_1&locale=en", local.request.url);
        equal("192.0.2.1", local.clientAddress);
        const auto& remote = calls.back();
        CHECK(remote.service.empty());
        CHECK(remote.request.url.starts_with("https://remote-36.example/api/widget?widgetId=overview&"));
        CHECK((remote.request.headers.front() ==
               std::pair<std::string, std::string>{"Authorization", "Bearer token-" + caller.principalId + "-remote-36"}));
        CHECK(remote.request.timeout == 1'500ms && remote.request.maxResponseBytes == 65'536);
    }

    TEST(fresh45SecondsThenStaleThenMetadata)
    {
        answers["crm"] = FakeCalls::responding(200, payload("crm", 7));
        run({{"crm", "overview"}});
        context->clock().advance(44s);
        auto answer = run({{"crm", "overview"}});
        CHECK(tile(answer, "crm").source == WidgetSource::Cache);
        equal(44, tile(answer, "crm").ageSeconds);
        equal(1, context->calls().calls().size());

        context->clock().advance(2s);
        answers["crm"] = FakeCalls::failing(Outcome::TimedOut, 1'500ms);
        answer = run({{"crm", "overview"}});
        CHECK(tile(answer, "crm").source == WidgetSource::Stale && tile(answer, "crm").stale);
        equal("timeout", code(tile(answer, "crm")));
        equal(7, attention(tile(answer, "crm")));

        context->clock().advance(4min + 15s);
        answer = run({{"crm", "overview"}});
        const auto& overview = tile(answer, "crm");
        CHECK(overview.source == WidgetSource::Metadata && !overview.stale && !overview.fetchedAt);
        const auto widget = boost::json::parse(overview.widget.text);
        CHECK(widget.at("status") == "degraded" && widget.at("title") == "App crm");
        CHECK(widget.at("more").at("href") == "/start");
        CHECK(readWidget(overview.widget.text, {"crm", "overview", "organization", "org_1"}).fault.empty());
    }

    /// PostHog/posthog #6105.
    TEST(oneSlowTileReplacesNoOther)
    {
        for (int i = 0; i < 5; ++i) answers["remote-" + std::to_string(i)] = FakeCalls::failing(Outcome::Responded, 10s);
        const auto answer = run();
        equal(40, answer.widgets.size());
        int degraded = 0;
        for (const auto& shown : answer.widgets)
            if (shown.error)
            {
                ++degraded;
                equal("timeout", shown.error->code);
                CHECK(shown.source == WidgetSource::Metadata);
            }
            else
                CHECK(shown.source == WidgetSource::Native);
        equal(5, degraded);
    }

    TEST(lateResultsFillTheCache)
    {
        const WidgetCache cache(*context);
        Flights flights;
        Breaker breaker;
        WidgetFetch fetch(*context, cache, flights, breaker);
        fetch.start();
        answers["crm"] = FakeCalls::responding(200, payload("crm", 9), 500ms);
        const auto [flight, leads] = flights.join("key");
        CHECK(leads);
        fetch.run({{.key = "key",
                    .flight = flight,
                    .expected = {"crm", "overview", "organization", "org_1"},
                    .service = "crm",
                    .widgetUrl = apps.front().widgetUrl,
                    .local = true,
                    .token = "t",
                    .householdId = {}}},
                  {}, 100ms);
        CHECK(!flights.wait(flight, std::chrono::steady_clock::now()));
        CPPUNIT_ASSERT_MESSAGE("another request waits for the same", !flights.join("key").second);
        equal(1, context->calls().deliverLate());
        CHECK(flights.wait(flight, std::chrono::steady_clock::now()));
        CHECK(cache.find("key"));
        CHECK(flights.join("key").second);
    }

    /// gethomepage/homepage #1591.
    TEST(errorsDoNotPersist)
    {
        answers["crm"] = FakeCalls::responding(503, "{}");
        auto answer = run({{"crm", "overview"}});
        equal("http_503", code(tile(answer, "crm")));
        equal(503, *tile(answer, "crm").error->status);
        answers.clear();
        answer = run({{"crm", "overview"}});
        CHECK(tile(answer, "crm").source == WidgetSource::Native && !tile(answer, "crm").error);
    }

    /// nextcloud/server #48403.
    TEST(hiddenWidgetsAreNotLoaded)
    {
        for (auto& each : apps)
            if (each.serviceId != "crm") each.hidden = {"overview"};
        const auto answer = run();
        equal(1, answer.widgets.size());
        equal(39, answer.excluded.size());
        CHECK(answer.excluded.front().reason == Exclusion::Hidden);
        equal(1, context->calls().calls().size());
        CPPUNIT_ASSERT_MESSAGE("a request that lists it gets it",
                               tile(run({{"social", "overview"}}), "social").source == WidgetSource::Native);
    }

    TEST(lostAccessDeletesThePayload)
    {
        for (const int status : {401, 403, 404})
        {
            begin();
            run({{"crm", "overview"}});
            context->clock().advance(46s);
            answers["crm"] = FakeCalls::responding(status, "{}");
            auto answer = run({{"crm", "overview"}});
            CHECK(tile(answer, "crm").source == WidgetSource::Metadata);
            equal("http_" + std::to_string(status), code(tile(answer, "crm")));
            // Nor is it sent as a stale payload after a later failure.
            answers["crm"] = FakeCalls::failing(Outcome::NotReached);
            answer = run({{"crm", "overview"}});
            CHECK(tile(answer, "crm").source == WidgetSource::Metadata);
            equal("connect_failed", code(tile(answer, "crm")));
        }
        begin();
        run({{"crm", "overview"}});
        context->clock().advance(46s);
        tokens.refused = "crm";
        const auto answer = run({{"crm", "overview"}});
        tokens.refused.clear();
        CHECK(tile(answer, "crm").source == WidgetSource::Metadata);
        equal("token_refused", code(tile(answer, "crm")));
    }

    TEST(demotionLeavesOldPayloadsBehind)
    {
        answers["crm"] = FakeCalls::responding(200, payload("crm", 7));
        run({{"crm", "overview"}, {"social", "overview"}});
        caller.role = "guest";
        answers["crm"] = FakeCalls::failing(Outcome::TimedOut, 1'500ms);
        auto answer = run({{"crm", "overview"}});
        CHECK(tile(answer, "crm").source == WidgetSource::Metadata);
        equal(0, attention(tile(answer, "crm")));
        // A change in one app empties the cache of no other.
        caller.role = "admin";
        versions.changed["crm"] = "2";
        answer = run({{"crm", "overview"}, {"social", "overview"}});
        versions.changed.clear();
        CHECK(tile(answer, "crm").source == WidgetSource::Metadata);
        CHECK(tile(answer, "social").source == WidgetSource::Cache);
    }

    TEST(circuitOpensAndCloses)
    {
        answers["crm"] = FakeCalls::responding(500, "{}");
        for (int i = 0; i < 5; ++i)
        {
            equal("http_500", code(tile(run({{"crm", "overview"}}), "crm")));
            context->clock().advance(1s);
        }
        context->calls().clear();
        equal("circuit_open", code(tile(run({{"crm", "overview"}}), "crm")));
        CHECK(context->calls().calls().empty());
        context->clock().advance(30s);
        equal("http_500", code(tile(run({{"crm", "overview"}}), "crm")), "one call tries it");
        equal("circuit_open", code(tile(run({{"crm", "overview"}}), "crm")));
        context->clock().advance(31s);
        answers.clear();
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Native);
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Cache);

        // Refusals do not count.
        answers["social"] = FakeCalls::responding(403, "{}");
        for (int i = 0; i < 10; ++i) equal("http_403", code(tile(run({{"social", "overview"}}), "social")));
    }

    TEST(refreshSkipsTheCacheOnceInTenSeconds)
    {
        run({{"crm", "overview"}});
        CHECK(tile(run({{"crm", "overview"}}, true), "crm").source == WidgetSource::Native);
        CHECK(tile(run({{"crm", "overview"}}, true), "crm").source == WidgetSource::Cache);
        context->clock().advance(11s);
        CHECK(tile(run({{"crm", "overview"}}, true), "crm").source == WidgetSource::Native);
    }

    TEST(sixtyFourRequestsCauseOneFetch)
    {
        // The threads may take long to start; only a request that is never answered waits as long as this.
        batch = std::make_unique<WidgetBatch>(
            *context, [this](const Caller&) { return apps; }, WidgetBudget{.call = 1'500ms, .page = 1min});
        std::atomic<int> fetches{0};
        constexpr int requests = 64;
        std::latch started{requests};
        context->calls().answer(
            [&](const Call& call)
            {
                ++fetches;
                started.wait();
                return FakeCalls::responding(200, payload(serviceOf(call), 5));
            });
        std::atomic<int> right{0};
        std::vector<std::jthread> threads;
        for (int i = 0; i < requests; ++i)
            threads.emplace_back(
                [&]
                {
                    started.count_down();
                    const auto answer = run({{"crm", "overview"}});
                    if (!answer.widgets.front().error && attention(answer.widgets.front()) == 5) ++right;
                });
        threads.clear();
        equal(1, fetches.load());
        equal(requests, right.load());
    }

    /// A request that has looked at the cache before the fetch of another landed, and asks for the flight after it.
    TEST(aFetchThatHasJustLandedIsNotRepeated)
    {
        run({{"crm", "overview"}});
        context->clock().advance(3s);
        bool between = false;
        batch->isOutdated = [&](const Caller&, std::string_view, Instant fetchedAt)
        {
            if (!std::exchange(between, true)) CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Native);
            return fetchedAt < context->clock().now();
        };
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Cache);
        equal(2, context->calls().calls().size());
        CPPUNIT_ASSERT_MESSAGE("the flight has ended", tile(run({{"crm", "overview"}}, true), "crm").source == WidgetSource::Native);
    }

    TEST(hostileAppsDegradeOnlyTheirTile)
    {
        const std::map<std::string, std::pair<CallResult, std::string>> hostile{
            {"remote-0", {FakeCalls::responding(200, "<!doctype html><p>Hello"), "bad_payload"}},
            {"remote-1", {FakeCalls::responding(200, payload("remote-1") + std::string(65'536, ' ')), "too_large"}},
            {"remote-2", {FakeCalls::responding(200, std::string(10'000, '[')), "bad_payload"}},
            {"remote-3", {FakeCalls::responding(200, payload("remote-3", 1, "org_2")), "bad_payload"}},
            {"remote-4", {FakeCalls::responding(302, ""), "http_302"}},
            {"remote-5", {FakeCalls::failing(Outcome::NotAllowed), "connect_failed"}},
            {"remote-6", {FakeCalls::responding(200, payload("crm")), "bad_payload"}},
            {"remote-7", {FakeCalls::failing(Outcome::Failed), "bad_payload"}},
            {"remote-8", {FakeCalls::failing(Outcome::NotReached), "connect_failed"}}};
        for (const auto& [service, answer] : hostile) answers.insert_or_assign(service, answer.first);
        answers["remote-9"] = FakeCalls::responding(204);
        const auto answer = run();
        for (const auto& shown : answer.widgets)
        {
            const auto expected = hostile.find(shown.serviceId);
            equal(expected == hostile.end() ? std::string() : expected->second.second, code(shown), shown.serviceId);
            CHECK(readWidget(shown.widget.text, {shown.serviceId, "overview", "organization", "org_1"}).fault.empty());
        }
        CHECK(boost::json::parse(tile(answer, "remote-9").widget.text).at("status") == "empty");
    }

    TEST(excludesWithReasons)
    {
        apps[1].obstacle = Exclusion::NotInstalled;
        apps[2].obstacle = Exclusion::Blocked;
        const auto answer = run({{"crm", "overview"},
                                 {"crm", "overview"},
                                 {"crm", "other"},
                                 {"calendar", "overview"},
                                 {"calendar", "overview"},
                                 {"social", "overview"},
                                 {"quro", "overview"}});
        equal(1, answer.widgets.size(), "duplicates are merged");
        const std::vector<Exclusion> reasons{Exclusion::UnknownWidget, Exclusion::NotInstalled, Exclusion::Blocked,
                                             Exclusion::UnknownService};
        equal(reasons.size(), answer.excluded.size());
        for (std::size_t i = 0; i < reasons.size(); ++i) CHECK(answer.excluded[i].reason == reasons[i]);
        for (int i = 0; i < 10; ++i) apps.push_back(app("more-" + std::to_string(i), false));
        equal(40, run().widgets.size());
        BatchInput input;
        input.widgets.assign(41, {"crm", "overview"});
        CPPUNIT_ASSERT_THROW(validate(input), Problem);
    }

    TEST(callersAndLocalesAreApart)
    {
        run({{"crm", "overview"}});
        locale = "de";
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Native);
        locale = "en";
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Cache);
        const auto person = caller.principalId;
        caller.principalId = "usr_other";
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Native);
        caller.principalId = person;
        caller.organizationId = "org_2";
        answers["crm"] = FakeCalls::responding(200, payload("crm", 3, "org_2"));
        CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Native);
    }

    TEST(fullStoreCostsFreshnessOnly)
    {
        context->state().limit("widget", 1);
        for (int i = 0; i < 2; ++i) CHECK(tile(run({{"crm", "overview"}}), "crm").source == WidgetSource::Native);
    }

    TEST(sendsAtMostEightAtATime)
    {
        run();
        CHECK((context->calls().parallels() == std::vector<std::size_t>{8}));
    }

    TEST(overridesReplaceTheAddress)
    {
        settings.config["launchpad.widgetHostOverrides"] = "crm=https://crm.elsewhere.example/w?key=1";
        begin();
        run({{"crm", "overview"}});
        const auto call = context->calls().calls().front();
        CHECK(call.service.empty());
        CHECK(call.request.url.starts_with("https://crm.elsewhere.example/w?key=1&widgetId=overview&context=organization"));
    }

    testing::TestSettings settings;
    Versions versions;
    Tokens tokens;
    std::unique_ptr<testing::TestContext> context;
    std::vector<WidgetApp> apps;
    std::unique_ptr<WidgetBatch> batch;
    std::map<std::string, CallResult> answers;
    std::string locale = "en";
    Caller caller;
};
} // namespace portico::tests
