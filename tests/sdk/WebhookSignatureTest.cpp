#include "support/Suite.h"

#include "portico/WebhookSignature.h"

#include <array>

namespace portico::tests
{

class WebhookSignatureTest : public Suite<WebhookSignatureTest>
{
    static std::string sign(std::span<const std::string> secrets)
    {
        return webhookSignature(secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})");
    }

    TEST(matchesTheVectorOfTheStandard)
    {
        const std::array secrets{std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")};
        equal("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", sign(secrets));
    }

    TEST(signsWithEachSecretInOrder)
    {
        const std::array secrets{std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), std::string("plain")};
        const std::array first{secrets[0]}, second{secrets[1]};
        equal(sign(first) + " " + sign(second), sign(secrets));
        equal("", sign({}));
    }

    TEST(takesASecretThatIsNoBase64AsItIs)
    {
        const std::array odd{std::string("whsec_*")}, empty{std::string("whsec_")}, plain{std::string("*")};
        CHECK(sign(odd) != sign(plain));
        CHECK(sign(odd) != sign(empty));
    }
};

} // namespace portico::tests
