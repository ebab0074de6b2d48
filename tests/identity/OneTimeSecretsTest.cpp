#include "common/OneTimeSecrets.h"
#include "common/Requests.h"
#include "support/Suite.h"

#include "portico/testing/FakeClock.h"
#include "portico/testing/FakeStateStore.h"
#include "support/Together.h"

#include <atomic>

namespace portico::tests
{

namespace
{

using Secrets = identity::OneTimeSecrets<identity::Client>;

} // namespace

/// One-time secrets in the StateStore.
class OneTimeSecretsTest : public Suite<OneTimeSecretsTest>
{
    TEST(isRedeemedOnce)
    {
        const auto secret = _secrets.issue({"192.0.2.7", "Firefox on Linux", {}}, std::chrono::minutes(1));
        equal(43, secret.size());
        equal("192.0.2.7", _secrets.look(secret).value().address);
        equal("Firefox on Linux", _secrets.redeem(secret).value().userAgent);
        CHECK(!_secrets.look(secret));
        CHECK(!_secrets.redeem(secret));
    }

    TEST(isOfOneKind)
    {
        const auto secret = _secrets.issue({}, std::chrono::minutes(1));
        CHECK(!Secrets(_state, "other").redeem(secret));
        CHECK(_secrets.redeem(secret).has_value());
    }

    TEST(expires)
    {
        const auto secret = _secrets.issue({}, std::chrono::minutes(1));
        _clock.advance(std::chrono::minutes(1));
        CHECK(!_secrets.redeem(secret));
    }

    TEST(renewsOnlyUnusedSecrets)
    {
        const auto unused = _secrets.issue({}, std::chrono::minutes(1)), used = _secrets.issue({}, std::chrono::minutes(1));
        _secrets.redeem(used);
        for (const auto& secret : {unused, used}) _secrets.renew(secret, std::chrono::minutes(10));
        _clock.advance(std::chrono::minutes(9));
        CHECK(_secrets.look(unused).has_value());
        CHECK(!_secrets.look(used));
    }

    TEST(racingCallersRedeemOnce)
    {
        const auto secret = _secrets.issue({}, std::chrono::minutes(1));
        std::atomic<int> redeemed = 0;
        // Each caller acts as another host, which shares only the store.
        runTogether(8, [&](int) { redeemed += Secrets(_state, "probe").redeem(secret) ? 1 : 0; });
        equal(1, redeemed.load());
    }

    testing::FakeClock _clock;
    testing::FakeStateStore _state{_clock};
    Secrets _secrets{_state, "probe"};
};

} // namespace portico::tests
