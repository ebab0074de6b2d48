#include "social/MediaSamples.h"
#include "social/PublishingFixture.h"

#include "privacy/PersonRecords.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// The tile of the launchpad, the data of a person, and previews of links.
class SocialWidgetTest : public Suite<SocialWidgetTest, PublishingFixture>
{
    TEST(showsWhatIsPlannedAndWhatFailed)
    {
        const auto empty = made(get(admin, "/api/widget"));
        equal("empty", empty.at("/status"));
        publish(addAccount(Platform::Webhook), "Later", 1h);
        idempotent->before = [](const StepCall&) { return StepOutcome::failed(FailureCode::PlatformError, "No."); };
        publish(addAccount(Platform::Webhook), "Failed");
        work();
        const auto widget = made(get(newKey(admin.organizationId, {"dashboard.read"}), "/api/widget"));
        CHECK(widget.at("/status") == "ok" && widget.at("/service_id") == "social" && widget.at("/counts/attention") == "1");
        CHECK(widget.at("/items/0/title") == "Failed" && widget.at("/items/0/status") == "critical");
        equal("1 scheduled, 0 waiting for approval, 1 failed", widget.at("/summary"));
        equal("Webhook", widget.at("/items/0/subtitle"));
        const auto german = made(get(admin, "/api/widget?locale=de-AT"));
        equal("1 geplant, 0 zur Freigabe, 1 fehlgeschlagen", german.at("/summary"));
        equal("Beiträge: Geplant", german.at("/title") + ": " + german.at("/metrics/0/label"));
        equal("setup_required", made(get(stranger, "/api/widget")).at("/status"));
        refused(get(admin, "/api/widget?widgetId=other"), 404, "widget_not_found");
    }

    TEST(opensToFanOutTokens)
    {
        auto token = admin;
        token.widgetOnly = true;
        made(get(token, "/api/widget"));
        // The owner of an organization's key has no session and is no service principal either.
        token.sessionId.clear();
        token.principalType = "service";
        made(get(token, "/api/widget"));
        refused(get(token, "/api/brands"), 403, "insufficient_scope");
        refused(post(token, "/api/brands", R"({"name":"New"})"), 403, "insufficient_scope");
        token.permissions.clear();
        refused(get(token, "/api/widget"), 403, "permission_denied");
    }

    /// A figure and the page behind it are of the same brands.
    TEST(leadsToTheBrandsThatAFigureIsOf)
    {
        const auto hrefOf = [&](const std::string& place) { return made(get(admin, "/api/widget")).at("/metrics/" + place + "/href"); };
        publish(addAccount(Platform::Webhook), "Later", 1h);
        equal("/calendar /approvals", hrefOf("0") + ' ' + hrefOf("1"));
        const auto first = brand;
        const auto other = newBrand(admin, "Other");
        equal("/calendar?brand=" + first, hrefOf("0"));
        equal("/approvals", hrefOf("1"));
        change("UPDATE content_item SET approval_state = 'pending', publish_status = 'none', queue_state = 'pending'");
        equal("/approvals?brand=" + first, hrefOf("1"));
        brand = other;
        publish(addAccount(Platform::Webhook), "Also later", 1h);
        change("UPDATE content_item SET approval_state = 'pending', publish_status = 'none', queue_state = 'pending'");
        equal("/approvals?brand=all", hrefOf("1"));
        equal("2", made(get(admin, "/api/widget")).at("/metrics/1/value"));
    }

    TEST(staysWithinTheBrandsOfAKey)
    {
        publish(addAccount(Platform::Webhook), "Later", 1h);
        const auto other = newBrand(admin, "Other");
        auto key = newKey(admin.organizationId, {"dashboard.read"});
        key.boundResources["brand"] = {other};
        equal("empty", made(get(key, "/api/widget")).at("/status"));
    }

    TEST(givesAndForgetsAPerson)
    {
        publish(addAccount(Platform::Webhook), "Written by a person", 1h);
        PersonRecords records(host->context());
        const interfaces::Person person{admin.principalId, "ada@example.org", {admin.organizationId}};
        std::map<std::string, std::string> given;
        records.give(person, [&](std::string_view kind, std::string_view json) { given[std::string(kind)] += json; });
        CHECK(given["posts"].find("Written by a person") != std::string::npos);
        CHECK(given["events"].find("content.created") != std::string::npos);
        records.forget(person);
        records.forget(person);
        const auto events = made(inBrand(brand, Method::Get, "/api/content-ops/events", admin));
        equal("", events.at("/items/0/actor/displayName"));
        equal("true", made(inBrand(brand, Method::Get, "/api/content-ops/events/verify", admin)).at("/ok"));
    }

    TEST(previewsALink)
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
        equal("Story", preview.at("/title"));
        const auto image = preview.at("/imageUrl");
        const auto path = image.substr(image.find("/link-image"));
        const auto picture = get(Caller::nobody(), path);
        equal(200, picture.status);
        equal(std::string::npos, picture.body.find(samples::secret));
        refused(get(Caller::nobody(), path + "x"), 403, "invalid_signature");
        advance(25h);
        refused(get(Caller::nobody(), path), 410, "link_expired");
        refused(get(admin, "/api/link-preview?url=https%3A%2F%2Fnews.example%2Fmissing"), 502, "upstream_failed");
        refused(get(admin, "/api/link-preview?url=http%3A%2F%2Fnews.example%2F"), 400, "validation_failed");
        int rejected = 0;
        for (int i = 0; i < 31; ++i)
            rejected += get(admin, "/api/link-preview?url=https%3A%2F%2Fnews.example%2Fstory").status == 429 ? 1 : 0;
        CHECK(rejected >= 1);
    }
};

} // namespace portico::tests
