#include "social/IntegrationFixture.h"

#include <string>

namespace portico::tests
{

using namespace social;

/// Accounts of a brand: connecting, checking, disconnecting.
class IntegrationTest : public Suite<IntegrationTest, IntegrationFixture>
{
    TEST(connectsAWebhookAtOnce)
    {
        const auto answer = connect("webhook", R"(,"url":"https://hooks.acme.io/in/s3cret?key=1")");
        equal(200, answer.status, answer.body);
        CHECK(answer.at("/secret").starts_with("whsec_"));
        equal("connected", answer.at("/integration/connectionState"));
        equal("https://hooks.acme.io", answer.at("/integration/instanceUrl"));
        CHECK(!answer.has("/authorizationUrl") && !answer.has("/state"));
        equal(std::string::npos, answer.body.find("s3cret"));
        const auto list = get(member, "/api/integrations");
        equal(1, list.count("/items"));
        equal(11, list.count("/providers"));
        for (const auto* hidden : {"whsec_", "s3cret", "secrets"}) equal(std::string::npos, list.body.find(hidden));
        // A generated secret is stored sealed, and a chosen one is not shown.
        auto session = host->context().database().session();
        equal(std::string::npos, session.value<std::string>("SELECT secrets FROM integration")->find("whsec_"));
        const auto chosen = connect("webhook", R"(,"url":"https://hooks.acme.io/other","secret":"a secret of mine, long")");
        refused(chosen, 400, "validation_failed");
        CHECK(!made(connect("webhook", R"(,"url":"https://hooks.acme.io/other","secret":"a-secret-of-my-own")")).has("/secret"));
        equal(2, eventsOf("integration.connected"));
        const auto events = get(admin, "/api/content-ops/events").body;
        for (const auto* hidden : {"whsec_", "s3cret", "a-secret"}) equal(std::string::npos, events.find(hidden));
        CHECK(host->context().http().requests().empty());
    }

    TEST(refusesNetworksThatAreNotReady)
    {
        for (const auto* platform : {"linkedin", "facebook_page", "instagram", "threads", "x"})
        {
            const auto answer = connect(platform, R"(,"returnUrl":"/accounts")");
            refused(answer, 409, "provider_not_connectable");
            equal("setup-required", answer.at("/details/readiness"));
            CHECK(answer.count("/details/reasons") > 0);
            equal(std::string::npos, answer.body.find("http"));
            CHECK(!answer.hasHeader("Location"));
        }
        for (const auto* platform : {"pinterest", "youtube", "tiktok"})
            equal("planned", connect(platform, R"(,"returnUrl":"/accounts")").at("/details/readiness"));
        for (const auto* platform : {"myspace", "Webhook", "facebook-page"}) refused(connect(platform, ""), 404, "not_found");
        mastodon.missing = {{"setting_missing", "A setting is missing.", "social.mastodon.clientId"}};
        refused(connect("mastodon", R"(,"instanceUrl":"https://social.acme.io","returnUrl":"/")"), 409, "provider_not_connectable");
        equal(0, eventsOf("integration.connect_started"));
        CHECK(host->context().http().requests().empty());
    }

    TEST(refusesEverythingWithoutKeys)
    {
        settings.config.clear();
        SocialFixture::setUp();
        brand = newBrand(admin);
        const auto answer = connect("webhook", R"(,"url":"https://hooks.acme.io/in")");
        refused(answer, 409, "provider_not_connectable");
        equal("social.sealingKeys", answer.at("/details/reasons/0/setting"));
        const auto all = get(admin, "/api/brands/" + brand + "/publishing-readiness");
        for (int i = 0; i < 11; ++i)
        {
            const auto value = all.at("/platforms/" + std::to_string(i) + "/readiness");
            equal(std::string(i < 8 ? "setup-required" : "planned"), value);
        }
    }

    TEST(saysWhatIsWrongWithARequest)
    {
        const auto fieldOf = [this](const std::string& platform, const std::string& members)
        {
            const auto answer = connect(platform, members);
            refused(answer, 400, "validation_failed");
            return answer.at("/errors/0/field");
        };
        equal("url", fieldOf("webhook", ""));
        equal("url", fieldOf("webhook", R"(,"url":"ftp://acme.io")"));
        equal("appPassword", fieldOf("bluesky", R"(,"identifier":"ada","appPassword":"wrong")"));
        equal("returnUrl", fieldOf("mastodon", R"(,"instanceUrl":"https://social.acme.io")"));
        for (const auto* url : {"https://evil.io/", "//evil.io", "/.//evil.io", "/%2E/a/..//evil.io", "/\\evil.io", "javascript:alert(1)",
                                "http://social.localhost:8080.evil.io/", "accounts", "/a b"})
            equal("returnUrl", fieldOf("mastodon", jsonWith(R"(,"instanceUrl":"https://social.acme.io","returnUrl":"$")", url)));
        refused(connect("webhook", R"(,"url":"https://hooks.acme.io","colour":"red")"), 400, "unknown_field");
        refused(connect("webhook", R"(,"url":"https://hooks.acme.io")", member), 403, "permission_denied");
        refused(connect("webhook", R"(,"url":"https://hooks.acme.io")", stranger), 404, "not_found");
        const auto other = newBrand(admin, "Other");
        refused(inBrand(other, Method::Post, "/api/integrations/webhook/connect", admin,
                        jsonWith(R"({"brandId":"$","url":"https://hooks.acme.io"})", brand)),
                400, "brand_mismatch");
        refused(post(admin, "/api/integrations/webhook/connect", R"({"url":"https://hooks.acme.io"})"), 400, "brand_required");
        equal(0, inBrand(brand, Method::Get, "/api/integrations", admin).count("/items"));
    }

    TEST(connectsTheSameAccountAgain)
    {
        const auto first = connected("ada");
        equal(first, connected("ada"));
        CHECK(first != connected("grace"));
        equal(2, get(admin, "/api/integrations").count("/items"));
        equal(0, get(admin, "/api/integrations?platform=webhook").count("/items"));
        equal(1, get(admin, "/api/integrations?platform=webhook").count("/providers"));
    }

    TEST(reconnectedAccountWakesItsWaitingItems)
    {
        const auto id = connected();
        const auto at = host->context().clock().now() + std::chrono::seconds(1);
        const auto content =
            made(post(admin, "/api/posts",
                      jsonWith(R"({"text":"Hello","targets":[{"integrationId":"$"}],"scheduledFor":"$"})", id, toString(at))))
                .at("/contentIds/0");
        const auto item = [&] { return made(get(admin, "/api/content-ops/items/" + content)); };
        change("UPDATE integration SET connection_state = 'reconnect_required'");
        advance(std::chrono::seconds(1));
        auto& jobs = host->context().jobs();
        jobs.runDue();
        equal("reconnect_required", item().at("/blockedReason"));
        advance(std::chrono::minutes(1));
        jobs.runDue();
        equal(0, jobs.waiting(Publications::slotJob).size());
        equal(id, connected());
        equal("null", item().at("/blockedReason"));
        equal(1, jobs.waiting(Publications::slotJob).size());
        jobs.runDue();
        equal("1", item().at("/attempts/total"));
    }

    TEST(stopsAtFiftyAccounts)
    {
        for (int i = 0; i < 50; ++i) connected("ada" + std::to_string(i));
        refused(connect("bluesky", R"(,"identifier":"one-more","appPassword":"right")"), 409, "conflict");
        // One that is connected already can be connected again.
        connected("ada7");
    }

    TEST(checksAnAccount)
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
        equal("Ada Lovelace", checked.at("/displayName"));
        equal("2026-11-23T09:00:00.000Z", checked.at("/lastCheckedAt"));
        equal("null", checked.at("/lastError"));
        // A network that cannot be reached ends nothing.
        bluesky.check = [](const NetworkAccount&) -> AccountProfile
        { throw ConnectFault(ConnectFault::Kind::Unreachable, "", "network_unreachable", "No route."); };
        const auto away = made(check(id));
        equal("connected", away.at("/connectionState"));
        equal("No route.", away.at("/lastError"));
        // A refused token that cannot be renewed does, and is reported once.
        bluesky.check = [](const NetworkAccount&) -> AccountProfile
        { throw ConnectFault(ConnectFault::Kind::Refused, "", "invalid_token", "The token was revoked."); };
        const auto dead = made(check(id));
        equal("reconnect_required", dead.at("/connectionState"));
        made(check(id));
        equal(1, eventsOf("integration.reconnect_required"));
        equal(1, publishedOf("social.integration.reconnect_required"));
        const auto platforms = get(admin, "/api/brands/" + brand + "/publishing-readiness");
        equal("reconnect_required", platforms.at("/platforms/0/connection"));
        equal("false", platforms.at("/platforms/0/canPublish"));
        connected();
        equal("connected", get(admin, "/api/integrations").at("/items/0/connectionState"));
        refused(check("itg_01jd0000000000000000000000"), 404, "not_found");
        refused(post(stranger, "/api/integrations/" + id + "/check"), 400, "brand_required");
        const auto theirs = newBrand(stranger);
        refused(inBrand(theirs, Method::Post, "/api/integrations/" + id + "/check", stranger), 404, "not_found");
    }

    TEST(refreshesOnceWhenTheNetworkRefuses)
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
        equal("connected", made(check(id)).at("/connectionState"));
        equal(1, eventsOf("integration.token_refreshed"));
    }

    TEST(disconnects)
    {
        const auto id = connected();
        std::string revoked;
        bluesky.revoke = [&](const NetworkAccount& account) { revoked = account.credentials.accessToken; };
        testing::TestRequest stale{Method::Delete, "/api/integrations/" + id, {}, {{"If-Match", "\"7\""}}, admin};
        refused(host->call(stale), 412, "version_conflict");
        CHECK(revoked.empty());
        equal(204, del(admin, "/api/integrations/" + id).status);
        equal("session", revoked);
        refused(del(admin, "/api/integrations/" + id), 404, "not_found");
        equal(1, eventsOf("integration.disconnected"));
        // Open pages are notified of the connect and of the removal.
        equal(2, publishedOf("social.integration.changed"));
        equal("none", get(admin, "/api/brands/" + brand + "/publishing-readiness").at("/platforms/0/connection"));
    }

    TEST(checksEveryAccountOnceADay)
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
        equal(0, asked);
        runFor(2);
        equal(2, asked);
        runFor(24);
        equal(4, asked);
        CHECK(host->context().jobs().failures().empty());
    }

    TEST(movesWithTheBrand)
    {
        const auto id = connected();
        auto there = admin;
        there.organizationId = stranger.organizationId;
        directory.add(there.organizationId, admin.principalId, {"social.brands:transfer"});
        const auto moved = made(
            post(admin, "/api/brands/" + brand + "/transfer-organization", jsonWith(R"({"organizationId":"$"})", there.organizationId)));
        equal("1", moved.at("/kept/integrations"));
        equal(id, get(there, "/api/integrations").at("/items/0/integrationId"));
        // Its tokens open at the new owner.
        equal("null", made(post(there, "/api/integrations/" + id + "/check")).at("/lastError"));
        refused(inBrand(brand, Method::Get, "/api/integrations", admin), 404, "not_found");
    }

    int publishedOf(const std::string& type) const
    {
        int count = 0;
        for (const auto& event : host->context().events().published()) count += event.type == type;
        return count;
    }
};

} // namespace portico::tests
