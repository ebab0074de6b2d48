#include "social/MediaSamples.h"
#include "social/NetworkFixture.h"

#include "ai/SamplePicture.h"
#include "media/ImageCleaner.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Generated pictures of the local provider, with their budgets.
class SampleImageTest : public Suite<SampleImageTest, NetworkFixture>
{
    void setUp() override
    {
        settings.config["social.ai.provider"] = "local";
        NetworkFixture::setUp();
        brand = newBrand(admin);
    }
    testing::TestAnswer generate(const Caller& caller, const std::string& body) const
    {
        return inBrand(brand, Method::Post, "/api/ai/generate-image", caller, body);
    }

    TEST(makesSamplesThatAreFiles)
    {
        const auto answer = made(generate(member, R"({"prompt":"A cat","count":2,"size":"1024x1536"})"));
        CHECK(answer.at("/sample") == "true" && answer.at("/modelSource") == "org_default" && answer.at("/quota/remaining") == "8");
        CHECK(answer.at("/images/0/mediaId") != answer.at("/images/1/mediaId"));
        const auto media = made(inBrand(brand, Method::Get, "/api/media/" + answer.at("/images/0/mediaId"), admin));
        CHECK(media.at("/source") == "ai" && media.at("/status") == "ready" && media.at("/width") == "1024" &&
              media.at("/height") == "1536");
        equal("A sample picture", media.at("/altText"));
        CHECK(samplePicture("A cat", 0, 64, 64) == samplePicture("A cat", 0, 64, 64));
        CHECK(samplePicture("A cat", 0, 64, 64) != samplePicture("A dog", 0, 64, 64));
        equal(64, cleanImage("image/png", samplePicture("x", 1, 64, 32)).width);
        const auto events = made(inBrand(brand, Method::Get, "/api/content-ops/events?kind=ai.image_generated", admin));
        CPPUNIT_ASSERT_MESSAGE(events.body,
                               events.body.find("A cat") == std::string::npos && events.body.find("promptSha256") != std::string::npos);
    }

    TEST(refusesTheEleventhPictureOfAMinute)
    {
        for (int i = 0; i < 3; ++i) made(generate(member, R"({"prompt":"x","count":3})"));
        // Nine are made: two more are too many, one is not.
        const auto answer = generate(member, R"({"prompt":"x","count":2})");
        refused(answer, 429, "rate_limited");
        CPPUNIT_ASSERT_MESSAGE(answer.body, answer.at("/details/scope") == "user" && answer.at("/details/limit") == "10");
        const auto wait = std::stol(answer.at("/details/retryAfterSeconds"));
        CHECK(wait >= 1 && wait <= 60);
        equal("0", made(generate(member, R"({"prompt":"x"})")).at("/quota/remaining"));
        refused(generate(member, R"({"prompt":"x"})"), 429, "rate_limited");
        equal(200, generate(admin, R"({"prompt":"x"})").status);
        advance(std::chrono::seconds(wait));
        equal("9", made(generate(member, R"({"prompt":"x"})")).at("/quota/remaining"));
    }

    TEST(needsAPermissionForAnotherModel)
    {
        refused(generate(member, R"({"prompt":"x","model":"other"})"), 403, "permission_denied");
        equal("inline_override", made(generate(admin, R"({"prompt":"x","model":"sample"})")).at("/modelSource"));
        const auto unknown = generate(admin, R"({"prompt":"x","model":"other"})");
        refused(unknown, 400, "validation_failed");
        equal("model unknown_model", unknown.at("/errors/0/field") + ' ' + unknown.at("/errors/0/code"));
        refused(generate(member, R"({"prompt":" "})"), 400, "validation_failed");
        refused(generate(member, R"({"prompt":"x","count":5})"), 400, "validation_failed");
        refused(generate(member, R"({"prompt":"x","size":"1x1"})"), 400, "validation_failed");
    }

    std::string brand;
};

/// The model gateway and its answers.
class GatewayImageTest : public Suite<GatewayImageTest, NetworkFixture>
{
public:
    void setUp() override
    {
        settings.config["social.ai.provider"] = "gateway";
        settings.config["social.ai.url"] = "https://gateway.example";
        NetworkFixture::setUp();
        brand = newBrand(admin);
    }
    static std::string base64(std::string_view bytes)
    {
        auto text = toBase64Url(bytes);
        std::ranges::replace(text, '-', '+');
        std::ranges::replace(text, '_', '/');
        text.append((4 - text.size() % 4) % 4, '=');
        return text;
    }
    void serveGateway(int status, const std::string& body, std::vector<std::pair<std::string, std::string>> headers = {})
    {
        serve({{"/api/image-settings",
                always(200, R"({"defaultModel":"one","allowedModels":[{"id":"one","sizes":["1024x1024"],"maxCount":2},{"id":"two"}]})")},
               {"/api/images/generations", [=](const HttpClient::Request&) { return respond(status, body, headers); }}});
    }
    testing::TestAnswer generate(const std::string& body) const
    {
        return inBrand(brand, Method::Post, "/api/ai/generate-image", admin, body);
    }

    TEST(callsTheGatewayOfTheOrganization)
    {
        serveGateway(200, jsonWith(R"({"data":[{"b64_json":"$"}]})", base64(samples::png(1))), {{"X-Request-Id", "req-1"}});
        const auto answer = made(generate(R"({"prompt":"A cat"})"));
        CHECK(answer.at("/model") == "one" && answer.at("/gatewayRequestId") == "req-1" && answer.at("/images/0/width") == "30");
        CHECK(http().requests().back().body.find(R"("model":"one")") != std::string::npos);
        CHECK(http().requests().back().body.find(admin.organizationId) != std::string::npos);
        const auto before = http().requests().size();
        made(generate(R"({"prompt":"A cat","model":"two"})"));
        // The settings are kept for a minute.
        equal(before + 1, http().requests().size());
        for (const auto* body :
             {R"({"prompt":"x","model":"three"})", R"({"prompt":"x","count":3})", R"({"prompt":"x","size":"1536x1024"})"})
            refused(generate(body), 400, "validation_failed");
    }

    TEST(passesAnswersOn)
    {
        serveGateway(429, "{}", {{"Retry-After", "17"}});
        const auto limited = generate(R"({"prompt":"x"})");
        refused(limited, 429, "rate_limited");
        CHECK(limited.at("/details/scope") == "gateway" && limited.at("/details/retryAfterSeconds") == "17");
        // A refused call uses no budget.
        serveGateway(200, jsonWith(R"({"data":[{"b64_json":"$"}]})", base64(samples::png(1))));
        equal("9", made(generate(R"({"prompt":"x"})")).at("/quota/remaining"));
        for (const auto& [status, body] :
             std::vector<std::pair<int, std::string>>{{500, "{}"},
                                                      {200, "{}"},
                                                      {200, "<html>"},
                                                      {200, R"({"data":[{"b64_json":"%%%"}]})"},
                                                      {200, jsonWith(R"({"data":[{"b64_json":"$"}]})", base64("<svg/>"))}})
        {
            serveGateway(status, body);
            refused(generate(R"({"prompt":"x"})"), 502, "gateway_error");
        }
    }

private:
    std::string brand;
};

/// A server with OpenAI's API of images, as its documentation describes it: https://platform.openai.com/docs/api-reference/images/create,
/// November 2026.
class OpenAiImageTest : public Suite<OpenAiImageTest, NetworkFixture>
{
    void setUp() override
    {
        settings.config["social.ai.provider"] = "openai";
        settings.config["social.ai.url"] = "https://models.example";
    }
    /// Starts with a model; the default's name is empty.
    void start(const std::string& model)
    {
        if (!model.empty()) settings.config["social.ai.imageModel"] = model;
        NetworkFixture::setUp();
        brand = newBrand(admin);
        serve({{"https://models.example/v1/images/generations", [](const HttpClient::Request& sent)
                {
                    const bool plain = sent.body.find(R"("model":"gpt-image-1")") != std::string::npos;
                    for (const auto* unknown : {"response_format", "style", "seed", "organizationId"})
                        if (plain && sent.body.find(unknown) != std::string::npos)
                            return respond(400, R"({"error":{"message":"Unknown parameter","code":"unknown_parameter"}})");
                    // Other models answer with an address by default.
                    if (!plain && sent.body.find(R"("response_format":"b64_json")") == std::string::npos)
                        return respond(200, R"({"data":[{"url":"https://models.example/1.png"}]})");
                    return respond(200, jsonWith(R"({"created":1,"data":[{"b64_json":"$"}]})", GatewayImageTest::base64(samples::png(1))),
                                   {{"x-request-id", "req_1"}});
                }}});
    }
    testing::TestAnswer generate(const std::string& body) const
    {
        return inBrand(brand, Method::Post, "/api/ai/generate-image", admin, body);
    }

    TEST(sendsWhatTheModelKnows)
    {
        start("");
        const auto answer = made(generate(R"({"prompt":"A cat","style":"vivid","seed":7,"size":"1024x1536"})"));
        CHECK(answer.at("/model") == "gpt-image-1" && answer.at("/gatewayRequestId") == "req_1");
        equal(R"({"model":"gpt-image-1","prompt":"A cat","n":1,"size":"1024x1536"})", http().requests().back().body);
    }

    TEST(allowsTheModelOfTheOperatorOnly)
    {
        start("dall-e-3");
        made(generate(R"({"prompt":"A cat","style":"vivid","seed":7})"));
        const auto sent = http().requests().back();
        CPPUNIT_ASSERT_MESSAGE(sent.body, sent.body.find(R"("style":"vivid","seed":7)") != std::string::npos);
        refused(generate(R"({"prompt":"A cat","model":"gpt-image-1"})"), 400, "validation_failed");
        equal("inline_override", made(generate(R"({"prompt":"A cat","model":"dall-e-3"})")).at("/modelSource"));
        // A named model is another event.
        equal(1, made(inBrand(brand, Method::Get, "/api/content-ops/events?kind=ai.model_overridden", admin)).count("/items"));
    }

    TEST(endsCallsThatHang)
    {
        start("");
        http().answer(
            [](const HttpClient::Request& request) -> HttpClient::Response
            {
                CHECK(request.timeout == 60s && request.maxResponseBytes <= 48U << 20);
                throw HttpFailure(504, "upstream_timeout", "The answer is late.", HttpFailure::Sent::PerhapsSent);
            });
        const auto before = http().requests().size();
        refused(generate(R"({"prompt":"A cat"})"), 502, "gateway_error");
        // A picture costs money: there is one attempt.
        equal(before + 1, http().requests().size());
        equal(0, made(inBrand(brand, Method::Get, "/api/media", admin)).count("/items"));
    }

    std::string brand;
};

} // namespace portico::tests
