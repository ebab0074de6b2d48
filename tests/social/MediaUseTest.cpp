#include "social/IntegrationFixture.h"
#include "social/MediaSamples.h"

#include "content/MediaRefs.h"

#include <string>

namespace portico::tests
{

using namespace social;

/// Files of a brand in its posts.
class MediaUseTest : public Suite<MediaUseTest, IntegrationFixture>
{
    void setUp() override
    {
        IntegrationFixture::setUp();
        account = made(connect("webhook", R"(,"url":"https://hooks.acme.io/in")")).at("/integration/integrationId");
    }

    TEST(keepsWhatAPostRefersTo)
    {
        const auto used = upload(), inThread = upload();
        const auto written = made(
            post(admin, "/api/posts", body(jsonWith(R"(,"mediaIds":["$"],"thread":[{"text":"more","mediaIds":["$"]}])", used, inThread))));
        equal("1", get(admin, "/api/media/" + used).at("/usedBy"));
        for (const auto& id : {used, inThread}) refused(del(admin, "/api/media/" + id), 409, "media_in_use");
        equal(200, get(admin, "/api/media/" + used).status);
        const auto target = "/api/posts/" + written.at("/postId");
        made(put(admin, target, R"({"mediaIds":[]})"));
        equal(204, del(admin, "/api/media/" + used).status);
        equal(204, del(admin, target).status);
        equal(204, del(admin, "/api/media/" + inThread).status);
    }

    TEST(refusesFilesThatAreNotThere)
    {
        const auto code = [this](const std::string& id)
        {
            const auto answer = post(admin, "/api/posts", body(jsonWith(R"(,"mediaIds":["$"])", id)));
            refused(answer, 400, "validation_failed");
            equal("mediaIds[0]", answer.at("/errors/0/field"));
            return answer.at("/errors/0/code");
        };
        equal("unknown_media", code("med_01jd0000000000000000000000"));
        const auto pending = made(post(admin, "/api/media/upload", R"({"fileName":"a.png","contentType":"image/png","size":9})"));
        equal("media_not_ready", code(pending.at("/mediaId")));
        const auto mine = brand;
        brand = newBrand(admin, "Other");
        const auto foreign = upload();
        brand = mine;
        refused(inBrand(brand, Method::Post, "/api/posts", admin, body(jsonWith(R"(,"mediaIds":["$"])", foreign))), 400,
                "validation_failed");
    }

    TEST(warnsOfMissingAltTexts)
    {
        const auto silent = upload(), described = upload();
        made(patch(admin, "/api/media/" + described, R"({"altText":"A pattern"})"));
        const auto warnings = [this](const std::string& id) {
            return made(post(admin, "/api/posts", body(jsonWith(R"(,"mediaIds":["$"])", id)))).body.find("alt_text_missing") !=
                   std::string::npos;
        };
        CHECK(warnings(silent));
        CHECK(!warnings(described));
    }

    /// The text of a file does not change after the approval of an item that shows it. A text of the item itself is part of the item.
    TEST(keepsAltTextsThatWereApproved)
    {
        const auto id = upload();
        made(post(admin, "/api/posts", body(jsonWith(R"(,"mediaIds":["$"])", id))));
        const auto describe = [&](const std::string& text)
        { return patch(admin, "/api/media/" + id, jsonWith(R"({"altText":"$"})", text)); };
        made(describe("Seen"));
        change("UPDATE content_item SET approval_state = 'approved'");
        refused(describe("Unseen"), 409, "media_in_use");
        equal("Seen", made(describe("Seen")).at("/altText"));
        change(R"(UPDATE content_item SET approval_state = 'pending', approvals = '[{"step":1}]')");
        refused(describe("Unseen"), 409, "media_in_use");
        change("UPDATE content_item SET approvals = '[]'");
        made(describe("Without an approval"));
        change("UPDATE content_item SET approval_state = 'approved', alt_texts = '{\"" + id + "\":\"Own\"}'");
        made(describe("Another"));
        change("UPDATE content_item SET alt_texts = '{}', publish_status = 'published'");
        equal("Later", made(describe("Later")).at("/altText"));
    }

    TEST(newAltTextVoidsTheRevisionThatAnApproverHasRead)
    {
        made(patch(admin, "/api/brands/" + brand, R"({"approvalPolicy":{"required":true,"steps":1,"allowSelfApproval":false}})"));
        const auto id = upload();
        made(patch(admin, "/api/media/" + id, R"({"altText":"Seen"})"));
        const auto content = made(post(admin, "/api/posts", body(jsonWith(R"(,"mediaIds":["$"])", id)))).at("/contentIds/0");
        const auto item = "/api/content-ops/items/" + content;
        equal("1", made(post(admin, item + "/submit")).at("/revision"));
        const auto other = newAdmin(admin.organizationId), third = newAdmin(admin.organizationId);
        made(patch(other, "/api/media/" + id, R"({"altText":"Unseen"})"));
        refused(post(third, item + "/approve", R"({"revision":1})"), 409, "revision_changed");
        equal("2", get(admin, item).at("/revision"));
        equal("The alternative text of a file was changed.",
              get(admin, "/api/content-ops/events?kind=content.edited").at("/items/0/reason"));
        // A user does not approve an own text.
        refused(post(other, item + "/approve", R"({"revision":2})"), 403, "self_approval");
        equal("approved", made(post(third, item + "/approve", R"({"revision":2})")).at("/approvalState"));
    }

    TEST(handsFilesToTheNetwork)
    {
        const auto id = upload();
        made(patch(admin, "/api/media/" + id, R"({"altText":"A pattern"})"));
        ContentItem item;
        item.brandId = *BrandId::parse(brand);
        item.mediaIds = {*MediaId::parse(id), *MediaId::parse("med_01jd0000000000000000000000")};
        item.thread.resize(1);
        item.thread[0].mediaIds = {*MediaId::parse(id)};
        item.altTexts[id] = "Of this post";
        Publication publication;
        publication.parts.resize(2);
        const MediaLinks links(host->context());
        auto session = host->context().database().session();
        addFiles(session, admin.tenant(), item, &links, host->context().clock().now(), publication);
        equal(1, publication.parts[0].files.size());
        const auto& file = publication.parts[1].files.at(0);
        CHECK(file.kind == "image" && file.contentType == "image/png" && file.width == 30 && file.height == 20);
        equal("Of this post", file.altText);
        equal(static_cast<std::uint64_t>(file.size), host->context().blobs().open(file.blobKey).value().size);
        equal(200, host->call(Method::Get, file.url.substr(file.url.find("/media/"))).status);
        CPPUNIT_ASSERT_THROW(addFiles(session, admin.tenant(), item, nullptr, Instant{}, *std::make_unique<Publication>()),
                             std::logic_error);
    }

    /// A brand with an item being published cannot move; queued items move with it.
    TEST(movesPostsWithTheBrand)
    {
        const auto id = upload();
        const auto written =
            made(post(admin, "/api/posts", body(jsonWith(R"(,"mediaIds":["$"],"scheduledFor":"2026-11-24T08:00:00Z")", id))));
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        const auto transfer = [&] {
            return post(admin, "/api/brands/" + brand + "/transfer-organization",
                        jsonWith(R"({"organizationId":"$"})", stranger.organizationId));
        };
        for (const auto* status : {"publishing", "retrying", "verifying"})
        {
            change(std::string("UPDATE content_item SET publish_status = '") + status + "', queue_state = '" + status + "'");
            const auto answer = transfer();
            refused(answer, 400, "validation_failed");
            equal("brand_publishing", answer.at("/errors/0/code"));
        }
        change("UPDATE content_item SET publish_status = 'queued', queue_state = 'queued'");
        const auto moved = made(transfer());
        for (const auto* kept : {"posts", "items", "media", "integrations"}) equal("1", moved.at("/kept/" + std::string(kept)));
        const auto there = get(stranger, "/api/posts/" + written.at("/postId"));
        equal(written.at("/contentIds"), there.at("/contentIds"));
        equal(written.at("/scheduledFor"), there.at("/scheduledFor"));
        equal(1, get(stranger, "/api/content-ops/queue").count("/items"));
        refused(inBrand(brand, Method::Get, "/api/posts/" + written.at("/postId"), admin), 404, "not_found");
    }

    std::string body(const std::string& more) const
    {
        return jsonWith(R"({"text":"Hello","targets":[{"integrationId":"$"}]$})", account, more);
    }
    std::string upload() const
    {
        const auto bytes = samples::png(1);
        const auto ticket = made(inBrand(brand, Method::Post, "/api/media/upload", admin,
                                         jsonWith(R"({"fileName":"a.png","contentType":"image/png","size":$})", bytes.size())));
        const auto url = ticket.at("/uploadUrl");
        testing::TestRequest sent{Method::Put,
                                  url.substr(url.find("/api/")),
                                  bytes,
                                  {{"Content-Type", "image/png"}, {"Content-Length", std::to_string(bytes.size())}},
                                  Caller::nobody()};
        equal(200, host->call(sent).status);
        made(inBrand(brand, Method::Post, ticket.at("/completeUrl"), admin, "{}"));
        return ticket.at("/mediaId");
    }

    std::string account;
};

} // namespace portico::tests
