#include "social/MediaSamples.h"
#include "social/PublishingFixture.h"

#include "privacy/PersonRecords.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// The tile of the launchpad, the data of a person, and previews of links.
class SocialWidgetTest : public PublishingFixture
{
    CPPUNIT_TEST_SUITE(SocialWidgetTest);
    CPPUNIT_TEST(showsWhatIsPlannedAndWhatFailed);
    CPPUNIT_TEST(staysWithinTheBrandsOfAKey);
    CPPUNIT_TEST(opensToFanOutTokens);
    CPPUNIT_TEST(givesAndForgetsAPerson);
    CPPUNIT_TEST(previewsALink);
    CPPUNIT_TEST_SUITE_END();

public:
    void showsWhatIsPlannedAndWhatFailed()
    {
        const auto empty = made(get(admin, "/api/widget"));
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), empty.at("/status"));
        publish(addAccount(Platform::Webhook), "Later", 1h);
        idempotent->before = [](const StepCall&) { return StepOutcome::failed(FailureCode::PlatformError, "No."); };
        publish(addAccount(Platform::Webhook), "Failed");
        work();
        const auto widget = made(get(newKey(admin.organizationId, {"dashboard.read"}), "/api/widget"));
        CPPUNIT_ASSERT(widget.at("/status") == "ok" && widget.at("/service_id") == "social" && widget.at("/counts/attention") == "1");
        CPPUNIT_ASSERT(widget.at("/items/0/title") == "Failed" && widget.at("/items/0/status") == "critical");
        CPPUNIT_ASSERT_EQUAL(std::string("1 scheduled, 0 waiting for approval, 1 failed"), widget.at("/summary"));
        CPPUNIT_ASSERT_EQUAL(std::string("setup_required"), made(get(stranger, "/api/widget")).at("/status"));
        assertProblem(get(admin, "/api/widget?widgetId=other"), 404, "widget_not_found");
    }

    void opensToFanOutTokens()
    {
        auto token = admin;
        token.widgetOnly = true;
        made(get(token, "/api/widget"));
        // The owner of an organization's key has no session and is no service principal either.
        token.sessionId.clear();
        token.principalType = "service";
        made(get(token, "/api/widget"));
        assertProblem(get(token, "/api/brands"), 403, "insufficient_scope");
        assertProblem(post(token, "/api/brands", R"({"name":"New"})"), 403, "insufficient_scope");
        token.permissions.clear();
        assertProblem(get(token, "/api/widget"), 403, "permission_denied");
    }

    void staysWithinTheBrandsOfAKey()
    {
        publish(addAccount(Platform::Webhook), "Later", 1h);
        const auto other = newBrand(admin, "Other");
        auto key = newKey(admin.organizationId, {"dashboard.read"});
        key.boundResources["brand"] = {other};
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), made(get(key, "/api/widget")).at("/status"));
    }

    void givesAndForgetsAPerson()
    {
        publish(addAccount(Platform::Webhook), "Written by a person", 1h);
        PersonRecords records(host->context());
        const interfaces::Person person{admin.principalId, "ada@example.org", {admin.organizationId}};
        std::map<std::string, std::string> given;
        records.give(person, [&](std::string_view kind, std::string_view json) { given[std::string(kind)] += json; });
        CPPUNIT_ASSERT(given["posts"].find("Written by a person") != std::string::npos);
        CPPUNIT_ASSERT(given["events"].find("content.created") != std::string::npos);
        records.forget(person);
        records.forget(person);
        const auto events = made(inBrand(brand, Method::Get, "/api/content-ops/events", admin));
        CPPUNIT_ASSERT_EQUAL(std::string(), events.at("/items/0/actor/displayName"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), made(inBrand(brand, Method::Get, "/api/content-ops/events/verify", admin)).at("/ok"));
    }

    void previewsALink()
    {
        host->context().http().answer(
            [](const HttpClient::Request& request)
            {
                HttpClient::Response response;
                response.status = request.url.find("missing") != std::string::npos ? 404 : 200;
                response.body =
                    request.url.ends_with(".png") ? samples::png(1) : R"(<title>Story</title><meta property="og:image" content="/a.png">)";
                return response;
            });
        const auto preview = made(get(admin, "/api/link-preview?url=https%3A%2F%2Fnews.example%2Fstory"));
        CPPUNIT_ASSERT_EQUAL(std::string("Story"), preview.at("/title"));
        const auto image = preview.at("/imageUrl");
        const auto path = image.substr(image.find("/link-image"));
        const auto picture = get(Caller::nobody(), path);
        CPPUNIT_ASSERT_EQUAL(200, picture.status);
        CPPUNIT_ASSERT_EQUAL(std::string::npos, picture.body.find(samples::secret));
        assertProblem(get(Caller::nobody(), path + "x"), 403, "invalid_signature");
        advance(25h);
        assertProblem(get(Caller::nobody(), path), 410, "link_expired");
        assertProblem(get(admin, "/api/link-preview?url=https%3A%2F%2Fnews.example%2Fmissing"), 502, "upstream_failed");
        assertProblem(get(admin, "/api/link-preview?url=http%3A%2F%2Fnews.example%2F"), 400, "validation_failed");
        int refused = 0;
        for (int i = 0; i < 31; ++i)
            refused += get(admin, "/api/link-preview?url=https%3A%2F%2Fnews.example%2Fstory").status == 429 ? 1 : 0;
        CPPUNIT_ASSERT(refused >= 1);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(SocialWidgetTest);

} // namespace portico::tests
