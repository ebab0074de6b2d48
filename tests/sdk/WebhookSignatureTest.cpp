#include "portico/WebhookSignature.h"

#include <cppunit/extensions/HelperMacros.h>

#include <array>

namespace portico::tests
{

class WebhookSignatureTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(WebhookSignatureTest);
    CPPUNIT_TEST(matchesTheVectorOfTheStandard);
    CPPUNIT_TEST(signsWithEachSecretInOrder);
    CPPUNIT_TEST(takesASecretThatIsNoBase64AsItIs);
    CPPUNIT_TEST_SUITE_END();

public:
    static std::string sign(std::span<const std::string> secrets)
    {
        return webhookSignature(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})");
    }

    void matchesTheVectorOfTheStandard()
    {
        const std::array secrets{std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")};
        CPPUNIT_ASSERT_EQUAL(std::string("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="), sign(secrets));
    }

    void signsWithEachSecretInOrder()
    {
        const std::array secrets{std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), std::string("plain")};
        const std::array first{secrets[0]}, second{secrets[1]};
        CPPUNIT_ASSERT_EQUAL(sign(first) + " " + sign(second), sign(secrets));
        CPPUNIT_ASSERT_EQUAL(std::string(), sign({}));
    }

    void takesASecretThatIsNoBase64AsItIs()
    {
        const std::array odd{std::string("whsec_*")}, empty{std::string("whsec_")}, plain{std::string("*")};
        CPPUNIT_ASSERT(sign(odd) != sign(plain));
        CPPUNIT_ASSERT(sign(odd) != sign(empty));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(WebhookSignatureTest);

} // namespace portico::tests
