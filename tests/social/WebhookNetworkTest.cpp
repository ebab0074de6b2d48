#include "social/NetworkFixture.h"

#include "portico/WebhookSignature.h"

#include <array>

namespace portico::tests
{

using namespace social;
using Kind = StepOutcome::Kind;

class WebhookNetworkTest : public NetworkFixture
{
    CPPUNIT_TEST_SUITE(WebhookNetworkTest);
    CPPUNIT_TEST(connectsHttpsAddressesOnly);
    CPPUNIT_TEST(sendsTheSameSignedBytesAtEveryAttempt);
    CPPUNIT_TEST(keepsWhatTheReceiverAnswers);
    CPPUNIT_TEST(classifiesAnswers);
    CPPUNIT_TEST(waitsAsLongAsTheReceiverAsks);
    CPPUNIT_TEST(tellsARequestThatWasNotSentFromOneThatPerhapsWas);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        NetworkFixture::setUp();
        account.serverUrl = account.externalId = "https://hooks.example.org/in";
        account.credentials.signingSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    }

    Network& webhook() const { return networks->get(Platform::Webhook); }

    void connectsHttpsAddressesOnly()
    {
        const auto made = webhook().connect({.url = "https://hooks.example.org/in"}).account.value();
        CPPUNIT_ASSERT(made.credentials.signingSecret.starts_with("whsec_"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://hooks.example.org/in"), made.serverUrl);
        const auto other = webhook().connect({.url = "https://hooks.example.org/in"}).account.value();
        CPPUNIT_ASSERT(made.credentials.signingSecret != other.credentials.signingSecret);
        CPPUNIT_ASSERT_EQUAL(
            std::string("a-secret-of-the-user"),
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
                CPPUNIT_ASSERT_EQUAL_MESSAGE(url, std::string("url"), fault.field);
            }
        }
        CPPUNIT_ASSERT_THROW(webhook().connect({.url = "https://a.example/", .secret = "short"}), ConnectFault);
        http().allow("http://127.0.0.1:8087");
        CPPUNIT_ASSERT(webhook().connect({.url = "http://127.0.0.1:8087/in"}).account);
    }

    void sendsTheSameSignedBytesAtEveryAttempt()
    {
        http().respond(204);
        auto post = publication({"One", "Two"});
        post.settings = R"({"anything":[1,2]})";
        const auto steps = webhook().prepare(post, account, now);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), steps.size());
        for (const auto later : {0, 3600})
            CPPUNIT_ASSERT(webhook().perform({steps[0], {}, {}, account, now, now + std::chrono::seconds(later)}).kind == Kind::Done);
        const auto sent = http().requests();
        CPPUNIT_ASSERT_EQUAL(sent.at(0).body, sent.at(1).body);
        CPPUNIT_ASSERT_EQUAL(post.contentId.text() + "-3", header(sent.at(0), "webhook-id"));
        CPPUNIT_ASSERT_EQUAL(header(sent.at(0), "webhook-id"), header(sent.at(1), "webhook-id"));
        CPPUNIT_ASSERT(header(sent.at(0), "webhook-signature") != header(sent.at(1), "webhook-signature"));
        const std::array secrets{account.credentials.signingSecret};
        CPPUNIT_ASSERT_EQUAL(
            webhookSignature(secrets, post.contentId.text() + "-3", std::stoll(header(sent.at(1), "webhook-timestamp")), sent.at(1).body),
            header(sent.at(1), "webhook-signature"));
        CPPUNIT_ASSERT(sent.at(0).body.find(R"("text":"One")") != std::string::npos);
        CPPUNIT_ASSERT(sent.at(0).body.find(R"("thread":[{"text":"Two")") != std::string::npos);
        CPPUNIT_ASSERT(sent.at(0).body.find(R"("settings":{"anything":[1,2]})") != std::string::npos);
    }

    StepOutcome after(HttpClient::Response answer) const
    {
        http().answer([answer = std::move(answer)](const HttpClient::Request&) { return answer; });
        const auto steps = webhook().prepare(publication({"Text"}), account, now);
        return webhook().perform({steps[0], {}, {}, account, now, now});
    }

    void keepsWhatTheReceiverAnswers()
    {
        auto outcome = after(respond(201, R"({"id":"42","url":"https://example.org/42","more":{}})"));
        CPPUNIT_ASSERT_EQUAL(std::string("42"), outcome.result.id);
        CPPUNIT_ASSERT_EQUAL(std::string("https://example.org/42"), outcome.result.url);
        CPPUNIT_ASSERT_EQUAL(std::size_t(64), outcome.requestDigest.size());
        CPPUNIT_ASSERT_EQUAL(std::string("7"), after(respond(200, R"({"id":7})")).result.id);
        for (const auto* body : {"", "<html>", "[]", R"j({"id":{},"url":"javascript:alert(1)"})j", R"j({"id":null,"url":5})j", "\xff"})
        {
            outcome = after(respond(200, body));
            CPPUNIT_ASSERT_MESSAGE(body, outcome.kind == Kind::Done && outcome.result.id.ends_with("-3") && outcome.result.url.empty());
        }
    }

    void classifiesAnswers()
    {
        const std::map<int, Kind> expected = {
            {301, Kind::Failed},      {400, Kind::Failed},      {401, Kind::AuthRefused}, {403, Kind::Failed},     {404, Kind::Failed},
            {408, Kind::Retry},       {410, Kind::Failed},      {413, Kind::Failed},      {422, Kind::Failed},     {429, Kind::Retry},
            {500, Kind::PerhapsSent}, {502, Kind::PerhapsSent}, {503, Kind::Retry},       {504, Kind::PerhapsSent}};
        for (const auto& [status, kind] : expected)
        {
            const auto outcome = after(respond(status, "no"));
            CPPUNIT_ASSERT_MESSAGE(std::to_string(status), outcome.kind == kind);
            CPPUNIT_ASSERT_EQUAL(status, outcome.httpStatus);
        }
        CPPUNIT_ASSERT(after(respond(410, "")).code == FailureCode::TargetGone);
    }

    void waitsAsLongAsTheReceiverAsks()
    {
        CPPUNIT_ASSERT(!after(respond(429, "")).notBefore);
        CPPUNIT_ASSERT(after(respond(429, "", {{"Retry-After", "90"}})).notBefore == now + std::chrono::seconds(90));
        CPPUNIT_ASSERT(after(respond(503, "", {{"retry-after", "90"}})).notBefore == now + std::chrono::seconds(90));
        CPPUNIT_ASSERT(after(respond(429, "", {{"Retry-After", "999999999"}})).notBefore == now + std::chrono::hours(24));
        const auto reset = now + std::chrono::minutes(5);
        CPPUNIT_ASSERT(after(respond(429, "", {{"X-RateLimit-Reset", toString(reset)}})).notBefore == reset);
        CPPUNIT_ASSERT(after(respond(429, "", {{"ratelimit-reset", std::to_string(toMillis(reset) / 1000)}})).notBefore == reset);
        CPPUNIT_ASSERT(!after(respond(429, "", {{"X-RateLimit-Reset", "soon"}})).notBefore);
    }

    void tellsARequestThatWasNotSentFromOneThatPerhapsWas()
    {
        const auto failing = [&](HttpFailure::Sent sent, std::string_view code)
        {
            http().answer([=](const HttpClient::Request&) -> HttpClient::Response { throw HttpFailure(502, code, "It broke.", sent); });
            const auto steps = webhook().prepare(publication({"Text"}), account, now);
            return webhook().perform({steps[0], {}, {}, account, now, now}).kind;
        };
        CPPUNIT_ASSERT(failing(HttpFailure::Sent::NotSent, "upstream_failed") == Kind::Retry);
        CPPUNIT_ASSERT(failing(HttpFailure::Sent::PerhapsSent, "upstream_failed") == Kind::PerhapsSent);
        CPPUNIT_ASSERT(failing(HttpFailure::Sent::NotSent, "address_not_allowed") == Kind::Failed);
    }

private:
    NetworkAccount account;
};

CPPUNIT_TEST_SUITE_REGISTRATION(WebhookNetworkTest);

} // namespace portico::tests
