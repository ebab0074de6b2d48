#include "social/IntegrationFixture.h"

#include "integrations/IntegrationService.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

using namespace social;

/// Tokens of accounts: sealed, refreshed, sealed again.
class SocialSealingTest : public Suite<SocialSealingTest, IntegrationFixture>
{
    /// The floors of accounts on the service's database, with keys of the test's own.
    struct Floors
    {
        Floors(SocialSealingTest& test, const std::string& lines)
            : made(test.networks(test.host->context())),
              vault(Config({}, {{"social.sealingKeys", lines}})),
              readiness(test.host->context(), made, vault),
              accounts(test.host->context(), made, vault),
              service(test.host->context(), made, vault, readiness, accounts, {})
        {
        }
        Networks made;
        Vault vault;
        ReadinessService readiness;
        Accounts accounts;
        IntegrationService service;
    };

public:
    void setUp() override
    {
        IntegrationFixture::setUp();
        bluesky.connect = [this](const ConnectRequest& request)
        {
            ConnectStart start;
            start.account = profileOf(request.identifier, "token-0");
            start.account->credentials.refreshToken = "refresh-0";
            start.account->credentials.issuedAt = host->context().clock().now();
            start.account->credentials.expiresAt = host->context().clock().now() + std::chrono::minutes(100);
            return start;
        };
    }

    TEST(opensOnlyForItsAccount)
    {
        const Vault vault(Config({}, {{"social.sealingKeys", keyLine}})), none(Config({}, {{"social.sealingKeys", ""}}));
        const auto one = IntegrationId::make(Instant{}), other = IntegrationId::make(Instant{});
        Credentials credentials;
        credentials.accessToken = "token";
        const auto sealed = vault.seal(one, credentials);
        equal("token", vault.open(one, sealed).value().accessToken);
        CHECK(!vault.open(other, sealed));
        CHECK(!none.isReady() && !none.open(one, sealed));
        CHECK(!vault.sealAgain(one, sealed));
        CPPUNIT_ASSERT_THROW(Vault(Config({}, {{"social.sealingKeys", "no key"}})), std::invalid_argument);
    }

    TEST(refreshesAtFourFifthsOfALife)
    {
        Floors floors(*this, keyLine);
        const auto id = account();
        int refreshes = 0;
        bluesky.refresh = [&](const NetworkAccount& known) { return renewed(known, ++refreshes); };
        advance(std::chrono::minutes(79));
        equal("token-0", fresh(floors, id).account.credentials.accessToken);
        advance(std::chrono::minutes(1));
        equal("token-1", fresh(floors, id).account.credentials.accessToken);
        equal("token-1", fresh(floors, id).account.credentials.accessToken);
        equal(1, refreshes);
        equal(1, eventsOf("integration.token_refreshed"));
        equal("2026-11-23T11:00:00.000Z", get(admin, "/api/integrations").at("/items/0/tokenExpiresAt"));
    }

    TEST(refreshesOnceForManyCallers)
    {
        Floors floors(*this, keyLine);
        const auto id = account();
        std::atomic<int> refreshes = 0;
        bluesky.refresh = [&](const NetworkAccount& known) { return renewed(known, ++refreshes); };
        advance(std::chrono::minutes(90));
        std::atomic<int> right = 0;
        std::vector<std::thread> callers;
        for (int i = 0; i < 8; ++i) callers.emplace_back([&] { right += fresh(floors, id).account.credentials.accessToken == "token-1"; });
        for (auto& caller : callers) caller.join();
        equal(1, refreshes.load());
        equal(8, right.load());
    }

    TEST(keepsARefreshTokenThatIsNotSentAgain)
    {
        Floors floors(*this, keyLine);
        const auto id = account();
        bluesky.refresh = [&](const NetworkAccount& known)
        {
            auto answer = renewed(known, 1);
            answer.credentials.refreshToken.clear();
            return answer;
        };
        advance(std::chrono::minutes(90));
        equal("refresh-0", fresh(floors, id).account.credentials.refreshToken);
        // Connecting again without a refresh token keeps the old one too.
        bluesky.connect = [](const ConnectRequest& request)
        {
            ConnectStart start;
            start.account = profileOf(request.identifier, "token-9");
            return start;
        };
        account();
        const auto opened = fresh(floors, id);
        equal("token-9", opened.account.credentials.accessToken);
        equal("refresh-0", opened.account.credentials.refreshToken);
    }

    TEST(endsAtARecognisedDeadGrantOnly)
    {
        Floors floors(*this, keyLine);
        const auto id = account();
        bluesky.refresh = [](const NetworkAccount&) { return Refreshed{Refreshed::Kind::Unreachable, {}, "No route."}; };
        advance(std::chrono::minutes(90));
        CHECK(fresh(floors, id).state == OpenedAccount::State::Ready);
        advance(std::chrono::minutes(10));
        CHECK(fresh(floors, id).state == OpenedAccount::State::Unreachable);
        equal("connected", get(admin, "/api/integrations").at("/items/0/connectionState"));
        bluesky.refresh = [](const NetworkAccount&) { return Refreshed{Refreshed::Kind::Dead, {}, "The grant has ended."}; };
        CHECK(fresh(floors, id).state == OpenedAccount::State::NotConnected);
        CHECK(fresh(floors, id).state == OpenedAccount::State::NotConnected);
        equal("reconnect_required", get(admin, "/api/integrations").at("/items/0/connectionState"));
        equal(1, eventsOf("integration.reconnect_required"));
    }

    TEST(storesARotatedTokenAfterATransfer)
    {
        Floors floors(*this, keyLine);
        const auto id = account();
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        bluesky.refresh = [&](const NetworkAccount& known)
        {
            made(post(admin, "/api/brands/" + brand + "/transfer-organization",
                      jsonWith(R"({"organizationId":"$"})", stranger.organizationId)));
            return renewed(known, 1);
        };
        advance(std::chrono::minutes(90));
        fresh(floors, id);
        auto session = host->context().database().session();
        const auto sealed = session.value<std::string>("SELECT secrets FROM integration").value();
        equal("refresh-1", floors.vault.open(id, sealed).value().refreshToken);
        equal("true", get(stranger, "/api/content-ops/events/verify").at("/ok"));
    }

    TEST(sealsAgainWithANewFirstKey)
    {
        for (int i = 0; i < 20; ++i) connected("ada" + std::to_string(i));
        const auto second = Sealer::makeKey("second");
        Floors floors(*this, second + "\n" + keyLine), alone(*this, second);
        std::atomic<bool> stop = false;
        std::atomic<int> writes = 0;
        std::vector<std::thread> writers;
        for (int i = 0; i < 3; ++i)
            writers.emplace_back(
                [&, i]
                {
                    // Writers of a host that has not been reloaded yet seal with the old key.
                    for (int n = 0; !stop; ++n, ++writes) connected("ada" + std::to_string((i * 7 + n) % 20));
                });
        while (writes < 5) std::this_thread::yield();
        floors.service.sealAgain({});
        stop = true;
        for (auto& writer : writers) writer.join();
        // All hosts were reloaded; each start enqueues the job again.
        while (floors.service.sealAgain({}) > 0) {}
        auto session = host->context().database().session();
        int opened = 0;
        for (const auto& row : session.query("SELECT id, secrets FROM integration"))
            opened += alone.vault.open(row.get<IntegrationId>(0), row.text(1)).has_value();
        equal(20, opened);
        // The service's own job does the same at a start, and finds nothing to do.
        host->reload();
        while (host->context().jobs().runDue() > 0) {}
        CHECK(host->context().jobs().failures().empty());
    }

private:
    IntegrationId account() const { return *IntegrationId::parse(connected()); }
    OpenedAccount fresh(const Floors& floors, const IntegrationId& id) const
    {
        return floors.accounts.fresh(admin.tenant(), *BrandId::parse(brand), id);
    }
    Refreshed renewed(const NetworkAccount& known, int number) const
    {
        Refreshed answer{Refreshed::Kind::New, known.credentials, {}};
        answer.credentials.accessToken = "token-" + std::to_string(number);
        answer.credentials.refreshToken = "refresh-" + std::to_string(number);
        answer.credentials.issuedAt = host->context().clock().now();
        answer.credentials.expiresAt = host->context().clock().now() + std::chrono::minutes(100);
        return answer;
    }
};

} // namespace portico::tests
