#include "social/IntegrationFixture.h"

#include <string>

namespace portico::tests
{

using namespace social;

/// Accounts of a brand: connecting, checking, disconnecting.
class IntegrationTest : public IntegrationFixture
{
    CPPUNIT_TEST_SUITE(IntegrationTest);
    CPPUNIT_TEST(connectsAWebhookAtOnce);
    CPPUNIT_TEST(refusesNetworksThatAreNotReady);
    CPPUNIT_TEST(refusesEverythingWithoutKeys);
    CPPUNIT_TEST(saysWhatIsWrongWithARequest);
    CPPUNIT_TEST(connectsTheSameAccountAgain);
    CPPUNIT_TEST(stopsAtFiftyAccounts);
    CPPUNIT_TEST(checksAnAccount);
    CPPUNIT_TEST(refreshesOnceWhenTheNetworkRefuses);
    CPPUNIT_TEST(disconnects);
    CPPUNIT_TEST(checksEveryAccountOnceADay);
    CPPUNIT_TEST(movesWithTheBrand);
    CPPUNIT_TEST_SUITE_END();

public:
    void connectsAWebhookAtOnce()
    {
        const auto answer = connect("webhook", R"(,"url":"https://hooks.acme.io/in/s3cret?key=1")");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        CPPUNIT_ASSERT(answer.at("/secret").starts_with("whsec_"));
        CPPUNIT_ASSERT_EQUAL(std::string("connected"), answer.at("/integration/connectionState"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://hooks.acme.io"), answer.at("/integration/instanceUrl"));
        CPPUNIT_ASSERT(!answer.has("/authorizationUrl") && !answer.has("/state"));
        CPPUNIT_ASSERT_EQUAL(std::string::npos, answer.body.find("s3cret"));
        const auto list = get(member, "/api/integrations");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{11}, list.count("/providers"));
        for (const auto* hidden : {"whsec_", "s3cret", "secrets"}) CPPUNIT_ASSERT_EQUAL(std::string::npos, list.body.find(hidden));
        // What was made is sealed, and what the caller chose is not shown.
        auto session = host->context().database().session();
        CPPUNIT_ASSERT_EQUAL(std::string::npos, session.value<std::string>("SELECT secrets FROM integration")->find("whsec_"));
        const auto chosen = connect("webhook", R"(,"url":"https://hooks.acme.io/other","secret":"a secret of mine, long")");
        assertProblem(chosen, 400, "validation_failed");
        CPPUNIT_ASSERT(!made(connect("webhook", R"(,"url":"https://hooks.acme.io/other","secret":"a-secret-of-my-own")")).has("/secret"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, eventsOf("integration.connected"));
        const auto events = get(admin, "/api/content-ops/events").body;
        for (const auto* hidden : {"whsec_", "s3cret", "a-secret"}) CPPUNIT_ASSERT_EQUAL(std::string::npos, events.find(hidden));
        CPPUNIT_ASSERT(host->context().http().requests().empty());
    }

    void refusesNetworksThatAreNotReady()
    {
        for (const auto* platform : {"linkedin", "facebook_page", "instagram", "threads", "x"})
        {
            const auto answer = connect(platform, R"(,"returnUrl":"/accounts")");
            assertProblem(answer, 409, "provider_not_connectable");
            CPPUNIT_ASSERT_EQUAL(std::string("setup-required"), answer.at("/details/readiness"));
            CPPUNIT_ASSERT(answer.count("/details/reasons") > 0);
            CPPUNIT_ASSERT_EQUAL(std::string::npos, answer.body.find("http"));
            CPPUNIT_ASSERT(!answer.hasHeader("Location"));
        }
        for (const auto* platform : {"pinterest", "youtube", "tiktok"})
            CPPUNIT_ASSERT_EQUAL(std::string("planned"), connect(platform, R"(,"returnUrl":"/accounts")").at("/details/readiness"));
        for (const auto* platform : {"myspace", "Webhook", "facebook-page"}) assertProblem(connect(platform, ""), 404, "not_found");
        mastodon.missing = {{"setting_missing", "A setting is missing.", "social.mastodon.clientId"}};
        assertProblem(connect("mastodon", R"(,"instanceUrl":"https://social.acme.io","returnUrl":"/")"), 409, "provider_not_connectable");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, eventsOf("integration.connect_started"));
        CPPUNIT_ASSERT(host->context().http().requests().empty());
    }

    void refusesEverythingWithoutKeys()
    {
        settings.config.clear();
        SocialFixture::setUp();
        brand = newBrand(admin);
        const auto answer = connect("webhook", R"(,"url":"https://hooks.acme.io/in")");
        assertProblem(answer, 409, "provider_not_connectable");
        CPPUNIT_ASSERT_EQUAL(std::string("social.sealingKeys"), answer.at("/details/reasons/0/setting"));
        const auto all = get(admin, "/api/brands/" + brand + "/publishing-readiness");
        for (int i = 0; i < 11; ++i)
        {
            const auto value = all.at("/platforms/" + std::to_string(i) + "/readiness");
            CPPUNIT_ASSERT_EQUAL(std::string(i < 8 ? "setup-required" : "planned"), value);
        }
    }

    void saysWhatIsWrongWithARequest()
    {
        const auto fieldOf = [this](const std::string& platform, const std::string& members)
        {
            const auto answer = connect(platform, members);
            assertProblem(answer, 400, "validation_failed");
            return answer.at("/errors/0/field");
        };
        CPPUNIT_ASSERT_EQUAL(std::string("url"), fieldOf("webhook", ""));
        CPPUNIT_ASSERT_EQUAL(std::string("url"), fieldOf("webhook", R"(,"url":"ftp://acme.io")"));
        CPPUNIT_ASSERT_EQUAL(std::string("appPassword"), fieldOf("bluesky", R"(,"identifier":"ada","appPassword":"wrong")"));
        CPPUNIT_ASSERT_EQUAL(std::string("returnUrl"), fieldOf("mastodon", R"(,"instanceUrl":"https://social.acme.io")"));
        for (const auto* url : {"https://evil.io/", "//evil.io", "/.//evil.io", "/%2E/a/..//evil.io", "/\\\\evil.io", "javascript:alert(1)",
                                "http://social.localhost:8080.evil.io/", "accounts", "/a b"})
            CPPUNIT_ASSERT_EQUAL(std::string("returnUrl"),
                                 fieldOf("mastodon", R"(,"instanceUrl":"https://social.acme.io","returnUrl":")" + std::string(url) + "\""));
        assertProblem(connect("webhook", R"(,"url":"https://hooks.acme.io","colour":"red")"), 400, "unknown_field");
        assertProblem(connect("webhook", R"(,"url":"https://hooks.acme.io")", member), 403, "permission_denied");
        assertProblem(connect("webhook", R"(,"url":"https://hooks.acme.io")", stranger), 404, "not_found");
        const auto other = newBrand(admin, "Other");
        assertProblem(inBrand(other, Method::Post, "/api/integrations/webhook/connect", admin,
                              R"({"brandId":")" + brand + R"(","url":"https://hooks.acme.io"})"),
                      400, "brand_mismatch");
        assertProblem(post(admin, "/api/integrations/webhook/connect", R"({"url":"https://hooks.acme.io"})"), 400, "brand_required");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, inBrand(brand, Method::Get, "/api/integrations", admin).count("/items"));
    }

    void connectsTheSameAccountAgain()
    {
        const auto first = connected("ada");
        CPPUNIT_ASSERT_EQUAL(first, connected("ada"));
        CPPUNIT_ASSERT(first != connected("grace"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(admin, "/api/integrations").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/integrations?platform=webhook").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/integrations?platform=webhook").count("/providers"));
    }

    void stopsAtFiftyAccounts()
    {
        for (int i = 0; i < 50; ++i) connected("ada" + std::to_string(i));
        assertProblem(connect("bluesky", R"(,"identifier":"one-more","appPassword":"right")"), 409, "conflict");
        // One that is connected already can be connected again.
        connected("ada7");
    }

    void checksAnAccount()
    {
        const auto id = connected();
        bluesky.check = [](const NetworkAccount& account)
        {
            auto profile = profileOf(account.handle, account.credentials.accessToken);
            profile.displayName = "Ada Lovelace";
            return profile;
        };
        advance(std::chrono::hours(1));
        const auto checked = made(check(id));
        CPPUNIT_ASSERT_EQUAL(std::string("Ada Lovelace"), checked.at("/displayName"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T09:00:00.000Z"), checked.at("/lastCheckedAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), checked.at("/lastError"));
        // A network that cannot be reached ends nothing.
        bluesky.check = [](const NetworkAccount&) -> AccountProfile
        { throw ConnectFault(ConnectFault::Kind::Unreachable, "", "network_unreachable", "No route."); };
        const auto away = made(check(id));
        CPPUNIT_ASSERT_EQUAL(std::string("connected"), away.at("/connectionState"));
        CPPUNIT_ASSERT_EQUAL(std::string("No route."), away.at("/lastError"));
        // A refused token that cannot be renewed does, and is reported once.
        bluesky.check = [](const NetworkAccount&) -> AccountProfile
        { throw ConnectFault(ConnectFault::Kind::Refused, "", "invalid_token", "The token was revoked."); };
        const auto dead = made(check(id));
        CPPUNIT_ASSERT_EQUAL(std::string("reconnect_required"), dead.at("/connectionState"));
        made(check(id));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, eventsOf("integration.reconnect_required"));
        CPPUNIT_ASSERT_EQUAL(1, publishedOf("social.integration.reconnect_required"));
        const auto platforms = get(admin, "/api/brands/" + brand + "/publishing-readiness");
        CPPUNIT_ASSERT_EQUAL(std::string("reconnect_required"), platforms.at("/platforms/0/connection"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), platforms.at("/platforms/0/canPublish"));
        connected();
        CPPUNIT_ASSERT_EQUAL(std::string("connected"), get(admin, "/api/integrations").at("/items/0/connectionState"));
        assertProblem(check("itg_01jd0000000000000000000000"), 404, "not_found");
        assertProblem(post(stranger, "/api/integrations/" + id + "/check"), 400, "brand_required");
        const auto theirs = newBrand(stranger);
        assertProblem(inBrand(theirs, Method::Post, "/api/integrations/" + id + "/check", stranger), 404, "not_found");
    }

    void refreshesOnceWhenTheNetworkRefuses()
    {
        const auto id = connected();
        bluesky.check = [](const NetworkAccount& account)
        {
            if (account.credentials.accessToken != "renewed")
                throw ConnectFault(ConnectFault::Kind::Refused, "", "invalid_token", "The token has expired.");
            return profileOf(account.handle, account.credentials.accessToken);
        };
        bluesky.refresh = [](const NetworkAccount& account)
        {
            auto credentials = account.credentials;
            credentials.accessToken = "renewed";
            return Refreshed{Refreshed::Kind::New, credentials, {}};
        };
        CPPUNIT_ASSERT_EQUAL(std::string("connected"), made(check(id)).at("/connectionState"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, eventsOf("integration.token_refreshed"));
    }

    void disconnects()
    {
        const auto id = connected();
        std::string revoked;
        bluesky.revoke = [&](const NetworkAccount& account) { revoked = account.credentials.accessToken; };
        testing::TestRequest stale{Method::Delete, "/api/integrations/" + id, {}, {{"If-Match", "\"7\""}}, admin};
        assertProblem(host->call(stale), 412, "version_conflict");
        CPPUNIT_ASSERT(revoked.empty());
        CPPUNIT_ASSERT_EQUAL(204, del(admin, "/api/integrations/" + id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("session"), revoked);
        assertProblem(del(admin, "/api/integrations/" + id), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, eventsOf("integration.disconnected"));
        // Open pages hear of the connect and of the removal.
        CPPUNIT_ASSERT_EQUAL(2, publishedOf("social.integration.changed"));
        CPPUNIT_ASSERT_EQUAL(std::string("none"),
                             get(admin, "/api/brands/" + brand + "/publishing-readiness").at("/platforms/0/connection"));
    }

    void checksEveryAccountOnceADay()
    {
        int asked = 0;
        bluesky.check = [&](const NetworkAccount& account)
        {
            ++asked;
            return profileOf(account.handle, account.credentials.accessToken);
        };
        connected("ada");
        connected("grace");
        const auto runFor = [this](int hours)
        {
            for (int i = 0; i < hours; ++i)
            {
                advance(std::chrono::hours(1));
                while (host->context().jobs().runDue() > 0) {}
            }
        };
        runFor(23);
        CPPUNIT_ASSERT_EQUAL(0, asked);
        runFor(2);
        CPPUNIT_ASSERT_EQUAL(2, asked);
        runFor(24);
        CPPUNIT_ASSERT_EQUAL(4, asked);
        CPPUNIT_ASSERT(host->context().jobs().failures().empty());
    }

    void movesWithTheBrand()
    {
        const auto id = connected();
        auto there = admin;
        there.organizationId = stranger.organizationId;
        directory.add(there.organizationId, admin.principalId, {"social.brands:transfer"});
        const auto moved =
            made(post(admin, "/api/brands/" + brand + "/transfer-organization", R"({"organizationId":")" + there.organizationId + "\"}"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), moved.at("/kept/integrations"));
        CPPUNIT_ASSERT_EQUAL(id, get(there, "/api/integrations").at("/items/0/integrationId"));
        // Its tokens open at the new owner.
        CPPUNIT_ASSERT_EQUAL(std::string("null"), made(post(there, "/api/integrations/" + id + "/check")).at("/lastError"));
        assertProblem(inBrand(brand, Method::Get, "/api/integrations", admin), 404, "not_found");
    }

private:
    int publishedOf(const std::string& type) const
    {
        int count = 0;
        for (const auto& event : host->context().events().published()) count += event.type == type;
        return count;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(IntegrationTest);

} // namespace portico::tests
