#include "social/IntegrationFixture.h"
#include "social/MediaSamples.h"

#include "content/MediaRefs.h"

#include <string>

namespace portico::tests
{

using namespace social;

/// Files of a brand in its posts.
class MediaUseTest : public IntegrationFixture
{
    CPPUNIT_TEST_SUITE(MediaUseTest);
    CPPUNIT_TEST(keepsWhatAPostRefersTo);
    CPPUNIT_TEST(refusesFilesThatAreNotThere);
    CPPUNIT_TEST(warnsOfMissingAltTexts);
    CPPUNIT_TEST(handsFilesToTheNetwork);
    CPPUNIT_TEST(movesPostsWithTheBrand);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        IntegrationFixture::setUp();
        account = made(connect("webhook", R"(,"url":"https://hooks.acme.io/in")")).at("/integration/integrationId");
    }

    void keepsWhatAPostRefersTo()
    {
        const auto used = upload(), inThread = upload();
        const auto written = made(post(
            admin, "/api/posts", body(R"(,"mediaIds":[")" + used + R"("],"thread":[{"text":"more","mediaIds":[")" + inThread + R"("]}])")));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), get(admin, "/api/media/" + used).at("/usedBy"));
        for (const auto& id : {used, inThread}) assertProblem(del(admin, "/api/media/" + id), 409, "media_in_use");
        CPPUNIT_ASSERT_EQUAL(200, get(admin, "/api/media/" + used).status);
        const auto target = "/api/posts/" + written.at("/postId");
        made(put(admin, target, R"({"mediaIds":[]})"));
        CPPUNIT_ASSERT_EQUAL(204, del(admin, "/api/media/" + used).status);
        CPPUNIT_ASSERT_EQUAL(204, del(admin, target).status);
        CPPUNIT_ASSERT_EQUAL(204, del(admin, "/api/media/" + inThread).status);
    }

    void refusesFilesThatAreNotThere()
    {
        const auto code = [this](const std::string& id)
        {
            const auto answer = post(admin, "/api/posts", body(R"(,"mediaIds":[")" + id + "\"]"));
            assertProblem(answer, 400, "validation_failed");
            CPPUNIT_ASSERT_EQUAL(std::string("mediaIds[0]"), answer.at("/errors/0/field"));
            return answer.at("/errors/0/code");
        };
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_media"), code("med_01jd0000000000000000000000"));
        const auto pending = made(post(admin, "/api/media/upload", R"({"fileName":"a.png","contentType":"image/png","size":9})"));
        CPPUNIT_ASSERT_EQUAL(std::string("media_not_ready"), code(pending.at("/mediaId")));
        const auto mine = brand;
        brand = newBrand(admin, "Other");
        const auto foreign = upload();
        brand = mine;
        assertProblem(inBrand(brand, Method::Post, "/api/posts", admin, body(R"(,"mediaIds":[")" + foreign + "\"]")), 400,
                      "validation_failed");
    }

    void warnsOfMissingAltTexts()
    {
        const auto silent = upload(), described = upload();
        made(patch(admin, "/api/media/" + described, R"({"altText":"A pattern"})"));
        const auto warnings = [this](const std::string& id) {
            return made(post(admin, "/api/posts", body(R"(,"mediaIds":[")" + id + "\"]"))).body.find("alt_text_missing") !=
                   std::string::npos;
        };
        CPPUNIT_ASSERT(warnings(silent));
        CPPUNIT_ASSERT(!warnings(described));
    }

    void handsFilesToTheNetwork()
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
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, publication.parts[0].files.size());
        const auto& file = publication.parts[1].files.at(0);
        CPPUNIT_ASSERT(file.kind == "image" && file.contentType == "image/png" && file.width == 30 && file.height == 20);
        CPPUNIT_ASSERT_EQUAL(std::string("Of this post"), file.altText);
        CPPUNIT_ASSERT_EQUAL(static_cast<std::uint64_t>(file.size), host->context().blobs().open(file.blobKey).value().size);
        CPPUNIT_ASSERT_EQUAL(200, host->call(Method::Get, file.url.substr(file.url.find("/media/"))).status);
        CPPUNIT_ASSERT_THROW(addFiles(session, admin.tenant(), item, nullptr, Instant{}, *std::make_unique<Publication>()),
                             std::logic_error);
    }

    /// A brand whose item is on its way stays where it is; queued ones go along.
    void movesPostsWithTheBrand()
    {
        const auto id = upload();
        const auto written =
            made(post(admin, "/api/posts", body(R"(,"mediaIds":[")" + id + R"("],"scheduledFor":"2026-11-24T08:00:00Z")")));
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        const auto transfer = [&] {
            return post(admin, "/api/brands/" + brand + "/transfer-organization",
                        R"({"organizationId":")" + stranger.organizationId + "\"}");
        };
        for (const auto* status : {"publishing", "retrying", "verifying"})
        {
            change(std::string("UPDATE content_item SET publish_status = '") + status + "', queue_state = '" + status + "'");
            const auto refused = transfer();
            assertProblem(refused, 400, "validation_failed");
            CPPUNIT_ASSERT_EQUAL(std::string("brand_publishing"), refused.at("/errors/0/code"));
        }
        change("UPDATE content_item SET publish_status = 'queued', queue_state = 'queued'");
        const auto moved = made(transfer());
        for (const auto* kept : {"posts", "items", "media", "integrations"})
            CPPUNIT_ASSERT_EQUAL(std::string("1"), moved.at("/kept/" + std::string(kept)));
        const auto there = get(stranger, "/api/posts/" + written.at("/postId"));
        CPPUNIT_ASSERT_EQUAL(written.at("/contentIds"), there.at("/contentIds"));
        CPPUNIT_ASSERT_EQUAL(written.at("/scheduledFor"), there.at("/scheduledFor"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(stranger, "/api/content-ops/queue").count("/items"));
        assertProblem(inBrand(brand, Method::Get, "/api/posts/" + written.at("/postId"), admin), 404, "not_found");
    }

private:
    std::string body(const std::string& more) const
    {
        return R"({"text":"Hello","targets":[{"integrationId":")" + account + "\"}]" + more + "}";
    }
    std::string upload() const
    {
        const auto bytes = samples::png(1);
        const auto ticket = made(inBrand(brand, Method::Post, "/api/media/upload", admin,
                                         R"({"fileName":"a.png","contentType":"image/png","size":)" + std::to_string(bytes.size()) + "}"));
        const auto url = ticket.at("/uploadUrl");
        testing::TestRequest sent{Method::Put,
                                  url.substr(url.find("/api/")),
                                  bytes,
                                  {{"Content-Type", "image/png"}, {"Content-Length", std::to_string(bytes.size())}},
                                  Caller::nobody()};
        CPPUNIT_ASSERT_EQUAL(200, host->call(sent).status);
        made(inBrand(brand, Method::Post, ticket.at("/completeUrl"), admin, "{}"));
        return ticket.at("/mediaId");
    }

    std::string account;
};

CPPUNIT_TEST_SUITE_REGISTRATION(MediaUseTest);

} // namespace portico::tests
