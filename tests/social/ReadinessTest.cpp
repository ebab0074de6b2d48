#include "social/IntegrationFixture.h"

#include "integrations/Readiness.h"

#include <string>

namespace portico::tests
{

using namespace social;

/// Readiness of networks: every value is reached, and left.
class ReadinessTest : public Suite<ReadinessTest, IntegrationFixture>
{
    TEST(judgesByTheRules)
    {
        FakeNetworkScript script;
        FakeNetwork network(Platform::Mastodon, script);
        const Instant now = *parseInstant("2026-11-23T08:00:00Z");
        ReadinessInput input{.now = now};
        const auto is = [&] { return judge(Platform::Mastodon, input).readiness; };
        CHECK(is() == Readiness::Planned);
        input.network = &network;
        CHECK(is() == Readiness::SetupRequired);
        input.hasSealingKeys = true;
        CHECK(is() == Readiness::SandboxOnly);
        const auto advice = [&] { return judge(Platform::Mastodon, input).reasons.at(0).message; };
        CHECK(advice().ends_with("Connect an account and check it."));
        input.hasAccounts = true;
        CHECK(advice().ends_with("Check an account."));
        input.selfTest.passedAt = now - std::chrono::hours(24);
        CHECK(is() == Readiness::ProductionReady);
        input.selfTest.passedAt = now - std::chrono::hours(24) - std::chrono::milliseconds(1);
        CHECK(is() == Readiness::SandboxOnly);
        input.selfTest.passedAt = now;
        for (auto* flag : {&input.sandboxMode, &input.atTestHost, &input.selfTest.restricted})
        {
            *flag = true;
            CHECK(is() == Readiness::SandboxOnly);
            equal(1, judge(Platform::Mastodon, input).reasons.size());
            *flag = false;
        }
        // A check of an account at a test host is no self-test, so none is asked for.
        input.selfTest.passedAt.reset();
        input.atTestHost = true;
        equal(2, judge(Platform::Mastodon, input).reasons.size());
        input.onlyAtTestHosts = true;
        equal("test_host", judge(Platform::Mastodon, input).reasons.at(0).code);
        equal(1, judge(Platform::Mastodon, input).reasons.size());
        CHECK(is() == Readiness::SandboxOnly);
        input.atTestHost = input.onlyAtTestHosts = false;
        input.selfTest.passedAt = now;
        script.trialReasons = {{"local_callback", "", ""}};
        CHECK(is() == Readiness::SandboxOnly);
        script.missing = {{"setting_missing", "", "social.mastodon.clientId"}};
        CHECK(is() == Readiness::SetupRequired);
        script.missing.clear();
        script.trialReasons.clear();
        CHECK(is() == Readiness::ProductionReady);
        CHECK(judge(Platform::Mastodon, input).reasons.empty());
        input.hasSealingKeys = false;
        CHECK(is() == Readiness::SetupRequired);
    }

    TEST(knowsTestHosts)
    {
        for (const auto* url :
             {"http://localhost:8087/x",     "https://LOCALHOST",   "https://a.localhost./",      "http://127.0.0.1:80",
              "https://127.9.9.9",           "http://[::1]:8080/",  "https://10.1.2.3",           "https://172.16.0.1",
              "https://172.31.9.9",          "https://192.168.1.1", "https://169.254.1.1",        "https://100.64.0.1",
              "https://[fd00::1]/",          "https://[fe80::1]",   "https://[::ffff:127.0.0.1]", "https://pds.test",
              "https://hooks.example.com/a", "https://example.org", "https://printer.local",      "https://u:p@localhost/"})
            CPPUNIT_ASSERT_MESSAGE(url, isTestHost(url));
        for (const auto* url : {"https://hooks.acme.io/localhost", "https://localhost.acme.io", "https://8.8.8.8", "https://172.32.0.1",
                                "https://172.15.0.1", "https://100.63.0.1", "https://100.128.0.1", "https://[2606:4700::1]/",
                                "https://10.acme.io", "https://mytest", "https://acme.io/?u=http://localhost", ""})
            CPPUNIT_ASSERT_MESSAGE(url, !isTestHost(url));
    }

    TEST(followsSettingsAndSelfTests)
    {
        constexpr int webhook = 7;
        equal("sandbox-only", readiness(webhook));
        const auto id = made(connect("webhook", R"(,"url":"https://hooks.acme.io/in")")).at("/integration/integrationId");
        equal("sandbox-only", readiness(webhook));
        host->context().http().respond(500);
        made(check(id));
        equal("sandbox-only", readiness(webhook));
        host->context().http().respond(200, "{}");
        equal("production-ready", made(check(id)).at("/readiness"));
        equal("production-ready", readiness(webhook));
        // A failure of one receiver says nothing of the network.
        host->context().http().respond(500);
        made(check(id));
        equal("production-ready", readiness(webhook));
        advance(std::chrono::hours(25));
        equal("sandbox-only", readiness(webhook));
        host->context().http().respond(204);
        made(check(id));
        equal("production-ready", readiness(webhook));
        // A receiver on this machine is for trials, and proves nothing of the network.
        const auto local = made(connect("webhook", R"(,"url":"https://localhost/in")")).at("/integration/integrationId");
        equal("sandbox-only", readiness(webhook));
        advance(std::chrono::hours(25));
        made(check(local));
        equal(204, del(admin, "/api/integrations/" + local).status);
        equal("sandbox-only", readiness(webhook));
        made(check(id));
        equal("production-ready", readiness(webhook));
    }

    TEST(showsWhatABrandCanDo)
    {
        auto answer = get(member, "/api/brands/" + brand + "/publishing-readiness");
        equal(brand, answer.at("/brandId"));
        equal("2026-11-23T08:00:00.000Z", answer.at("/checkedAt"));
        equal(11, answer.count("/platforms"));
        equal("bluesky", answer.at("/platforms/0/platform"));
        equal("none", answer.at("/platforms/0/connection"));
        equal("500", answer.at("/platforms/0/limits/maxText"));
        CHECK(answer.at("/platforms/8/readiness") == "planned" && answer.at("/platforms/8/canPublish") == "false");
        bluesky.connect = [](const ConnectRequest&)
        {
            ConnectStart start;
            start.account = profileOf("ada", "session");
            start.account->credentials.maxText = 1000;
            return start;
        };
        const auto id = connected();
        answer = get(member, "/api/brands/" + brand + "/publishing-readiness");
        equal("connected", answer.at("/platforms/0/connection"));
        equal("true", answer.at("/platforms/0/canPublish"));
        equal("production-ready", answer.at("/platforms/0/readiness"));
        equal(id, answer.at("/platforms/0/integrations/0"));
        equal("1000", answer.at("/platforms/0/limits/maxText"));
        refused(get(stranger, "/api/brands/" + brand + "/publishing-readiness"), 404, "not_found");
    }

    TEST(leavesProductionAtATierRestriction)
    {
        const auto id = connected();
        equal("production-ready", readiness(0));
        const auto works = bluesky.check;
        bluesky.check = [](const NetworkAccount&) -> AccountProfile
        { throw ConnectFault(ConnectFault::Kind::Unreachable, "", std::string(tierRestricted), "The application is in development."); };
        made(check(id));
        equal("sandbox-only", readiness(0));
        bluesky.check = works;
        made(check(id));
        equal("production-ready", readiness(0));
    }

    TEST(isOpenToKeysOfTheBrand)
    {
        const auto target = "/api/brands/" + brand + "/publishing-readiness";
        auto key = newKey(admin.organizationId, {"accounts.read"});
        equal(200, get(key, target).status);
        key.boundResources["brand"] = {newBrand(admin, "Other")};
        refused(get(key, target), 403, "resource_not_bound");
        refused(get(newKey(admin.organizationId, {"posts.read"}), target), 403, "insufficient_scope");
    }
};

} // namespace portico::tests
