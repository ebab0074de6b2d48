#include "social/NetworkFixture.h"

#include "portico/WebhookSignature.h"

#include <array>

namespace portico::tests
{

using namespace social;
using Kind = StepOutcome::Kind;

class WebhookNetworkTest : public Suite<WebhookNetworkTest, NetworkFixture>
{
    void setUp() override
    {
        NetworkFixture::setUp();
        account.serverUrl = account.externalId = "https://hooks.example.org/in";
        account.credentials.signingSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    }

    Network& webhook() const { return networks->get(Platform::Webhook); }

    TEST(connectsHttpsAddressesOnly)
    {
        const auto made = webhook().connect({.url = "https://hooks.example.org/in"}).account.value();
        CHECK(made.credentials.signingSecret.starts_with("whsec_"));
        equal("https://hooks.example.org/in", made.serverUrl);
        const auto other = webhook().connect({.url = "https://hooks.example.org/in"}).account.value();
        CHECK(made.credentials.signingSecret != other.credentials.signingSecret);
        equal("a-secret-of-the-user",
              webhook().connect({.url = "https://a.example/", .secret = "a-secret-of-the-user"}).account->credentials.signingSecret);
        http().refuse("https://10.0.0.1");
        for (const auto* url :
             {"", "hooks.example.org", "ftp://example.org/", "http://example.org/", "https://10.0.0.1/", "https://a@example.org/"})
        {
            try
            {
                webhook().connect({.url = url});
                CPPUNIT_FAIL(url);
            }
            catch (const ConnectFault& fault)
            {
                equal("url", fault.field, url);
            }
        }
        CPPUNIT_ASSERT_THROW(webhook().connect({.url = "https://a.example/", .secret = "short"}), ConnectFault);
        http().allow("http://127.0.0.1:8087");
        CHECK(webhook().connect({.url = "http://127.0.0.1:8087/in"}).account);
    }

    TEST(sendsTheSameSignedBytesAtEveryAttempt)
    {
        http().respond(204);
        auto post = publication({"One", "Two"});
        post.settings = R"({"anything":[1,2]})";
        const auto steps = webhook().prepare(post, account, now);
        equal(1, steps.size());
        for (const auto later : {0, 3600})
            CHECK(webhook().perform({steps[0], {}, {}, account, now, now + std::chrono::seconds(later)}).kind == Kind::Done);
        const auto sent = http().requests();
        equal(sent.at(0).body, sent.at(1).body);
        equal(post.contentId.text() + "-3", header(sent.at(0), "webhook-id"));
        equal(header(sent.at(0), "webhook-id"), header(sent.at(1), "webhook-id"));
        CHECK(header(sent.at(0), "webhook-signature") != header(sent.at(1), "webhook-signature"));
        const std::array secrets{account.credentials.signingSecret};
        equal(webhookSignature(secrets, post.contentId.text() + "-3", std::stoll(header(sent.at(1), "webhook-timestamp")), sent.at(1).body),
              header(sent.at(1), "webhook-signature"));
        CHECK(sent.at(0).body.find(R"("text":"One")") != std::string::npos);
        CHECK(sent.at(0).body.find(R"("thread":[{"text":"Two")") != std::string::npos);
        CHECK(sent.at(0).body.find(R"("settings":{"anything":[1,2]})") != std::string::npos);
    }

    StepOutcome after(HttpClient::Response answer) const
    {
        http().answer([answer = std::move(answer)](const HttpClient::Request&) { return answer; });
        const auto steps = webhook().prepare(publication({"Text"}), account, now);
        return webhook().perform({steps[0], {}, {}, account, now, now});
    }

    TEST(keepsWhatTheReceiverAnswers)
    {
        auto outcome = after(respond(201, R"({"id":"42","url":"https://example.org/42","more":{}})"));
        equal("42", outcome.result.id);
        equal("https://example.org/42", outcome.result.url);
        equal(64, outcome.requestDigest.size());
        equal("7", after(respond(200, R"({"id":7})")).result.id);
        for (const auto* body : {"", "<html>", "[]", R"j({"id":{},"url":"javascript:alert(1)"})j", R"j({"id":null,"url":5})j", "\xff"})
        {
            outcome = after(respond(200, body));
            CPPUNIT_ASSERT_MESSAGE(body, outcome.kind == Kind::Done && outcome.result.id.ends_with("-3") && outcome.result.url.empty());
        }
    }

    TEST(classifiesAnswers)
    {
        const std::map<int, Kind> expected = {
            {301, Kind::Failed},      {400, Kind::Failed},      {401, Kind::AuthRefused}, {403, Kind::Failed},     {404, Kind::Failed},
            {408, Kind::Retry},       {410, Kind::Failed},      {413, Kind::Failed},      {422, Kind::Failed},     {429, Kind::Retry},
            {500, Kind::PerhapsSent}, {502, Kind::PerhapsSent}, {503, Kind::Retry},       {504, Kind::PerhapsSent}};
        for (const auto& [status, kind] : expected)
        {
            const auto outcome = after(respond(status, "no"));
            CPPUNIT_ASSERT_MESSAGE(std::to_string(status), outcome.kind == kind);
            equal(status, outcome.httpStatus);
        }
        CHECK(after(respond(410, "")).code == FailureCode::TargetGone);
    }

    TEST(waitsAsLongAsTheReceiverAsks)
    {
        CHECK(!after(respond(429, "")).notBefore);
        CHECK(after(respond(429, "", {{"Retry-After", "90"}})).notBefore == now + std::chrono::seconds(90));
        CHECK(after(respond(503, "", {{"retry-after", "90"}})).notBefore == now + std::chrono::seconds(90));
        CHECK(after(respond(429, "", {{"Retry-After", "999999999"}})).notBefore == now + std::chrono::hours(24));
        const auto reset = now + std::chrono::minutes(5);
        CHECK(after(respond(429, "", {{"X-RateLimit-Reset", toString(reset)}})).notBefore == reset);
        CHECK(after(respond(429, "", {{"ratelimit-reset", std::to_string(toMillis(reset) / 1000)}})).notBefore == reset);
        CHECK(!after(respond(429, "", {{"X-RateLimit-Reset", "soon"}})).notBefore);
    }

    TEST(distinguishesUnsentFromPerhapsSentRequests)
    {
        const auto failing = [&](HttpFailure::Sent sent, std::string_view code)
        {
            http().answer([=](const HttpClient::Request&) -> HttpClient::Response { throw HttpFailure(502, code, "It broke.", sent); });
            const auto steps = webhook().prepare(publication({"Text"}), account, now);
            return webhook().perform({steps[0], {}, {}, account, now, now}).kind;
        };
        CHECK(failing(HttpFailure::Sent::NotSent, "upstream_failed") == Kind::Retry);
        CHECK(failing(HttpFailure::Sent::PerhapsSent, "upstream_failed") == Kind::PerhapsSent);
        CHECK(failing(HttpFailure::Sent::NotSent, "address_not_allowed") == Kind::Failed);
    }

    NetworkAccount account;
};

} // namespace portico::tests
