#include "common/OneTimeSecrets.h"
#include "common/Requests.h"

#include "portico/testing/FakeClock.h"
#include "portico/testing/FakeStateStore.h"
#include "support/Together.h"

#include <atomic>
#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

namespace
{

using Secrets = identity::OneTimeSecrets<identity::Client>;

} // namespace

/// Secrets in the StateStore that are each good once.
class OneTimeSecretsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(OneTimeSecretsTest);
    CPPUNIT_TEST(isRedeemedOnce);
    CPPUNIT_TEST(isOfOneKind);
    CPPUNIT_TEST(expires);
    CPPUNIT_TEST(renewsOnlyUnusedSecrets);
    CPPUNIT_TEST(racingCallersRedeemOnce);
    CPPUNIT_TEST_SUITE_END();

public:
    void isRedeemedOnce()
    {
        const auto secret = _secrets.issue({"192.0.2.7", "Firefox on Linux", {}}, std::chrono::minutes(1));
        CPPUNIT_ASSERT_EQUAL(std::size_t{43}, secret.size());
        CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.7"), _secrets.look(secret).value().address);
        CPPUNIT_ASSERT_EQUAL(std::string("Firefox on Linux"), _secrets.redeem(secret).value().userAgent);
        CPPUNIT_ASSERT(!_secrets.look(secret));
        CPPUNIT_ASSERT(!_secrets.redeem(secret));
    }

    void isOfOneKind()
    {
        const auto secret = _secrets.issue({}, std::chrono::minutes(1));
        CPPUNIT_ASSERT(!Secrets(_state, "other").redeem(secret));
        CPPUNIT_ASSERT(_secrets.redeem(secret).has_value());
    }

    void expires()
    {
        const auto secret = _secrets.issue({}, std::chrono::minutes(1));
        _clock.advance(std::chrono::minutes(1));
        CPPUNIT_ASSERT(!_secrets.redeem(secret));
    }

    void renewsOnlyUnusedSecrets()
    {
        const auto unused = _secrets.issue({}, std::chrono::minutes(1)), used = _secrets.issue({}, std::chrono::minutes(1));
        _secrets.redeem(used);
        for (const auto& secret : {unused, used}) _secrets.renew(secret, std::chrono::minutes(10));
        _clock.advance(std::chrono::minutes(9));
        CPPUNIT_ASSERT(_secrets.look(unused).has_value());
        CPPUNIT_ASSERT(!_secrets.look(used));
    }

    void racingCallersRedeemOnce()
    {
        const auto secret = _secrets.issue({}, std::chrono::minutes(1));
        std::atomic<int> redeemed = 0;
        // Each as another host, which shares only the store.
        runTogether(8, [&](int) { redeemed += Secrets(_state, "probe").redeem(secret) ? 1 : 0; });
        CPPUNIT_ASSERT_EQUAL(1, redeemed.load());
    }

private:
    testing::FakeClock _clock;
    testing::FakeStateStore _state{_clock};
    Secrets _secrets{_state, "probe"};
};

CPPUNIT_TEST_SUITE_REGISTRATION(OneTimeSecretsTest);

} // namespace portico::tests
