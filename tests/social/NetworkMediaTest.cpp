#include "social/MediaSamples.h"
#include "social/NetworkFixture.h"

#include "portico/testing/TemporaryDirectory.h"

#include <fstream>

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;
using Kind = StepOutcome::Kind;

/// Files of posts and link cards at Bluesky and Mastodon, against canned answers.
class NetworkMediaTest : public Suite<NetworkMediaTest, NetworkFixture>
{
    void setUp() override
    {
        keys = std::make_unique<testing::TemporaryDirectory>();
        const auto file = keys->path() / "keys";
        std::ofstream(file) << Sealer::makeKey("one") << '\n';
        std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        settings.config["social.sealingKeys"] = file.string();
        NetworkFixture::setUp();
        anna.externalId = "did:plc:anna";
        anna.serverUrl = "https://pds.example.org";
        anna.credentials.accessToken = "access";
        fediverse.externalId = "7";
        fediverse.serverUrl = "https://social.example";
        fediverse.credentials.accessToken = "token";
    }

    PublishedFile picture(const std::string& alt) const
    {
        auto writer = host->context().blobs().create("brand");
        const auto bytes = samples::png(1);
        writer->write(bytes);
        const auto key = writer->key();
        writer->commit();
        return {MediaId::make(now), "image", "image/png", static_cast<std::int64_t>(bytes.size()), 30, 20, alt, key, {}};
    }
    static HttpClient::Response put(const HttpClient::Request& request)
    {
        const auto key = request.body.substr(request.body.find(R"("rkey":")") + 8, 13);
        return respond(200, jsonWith(R"({"uri":"at://did:plc:anna/app.bsky.feed.post/$","cid":"c"})", key));
    }
    std::vector<StepOutcome> publish(Network& network, const Publication& post, const NetworkAccount& account) const
    {
        return performAll(network, network.prepare(post, account, now), account, now);
    }

    TEST(namesUploadedPicturesInBlueskyPosts)
    {
        int uploads = 0;
        serve({{"putRecord", put},
               {"uploadBlob", [&](const HttpClient::Request&)
                {
                    return respond(200, R"({"blob":{"$type":"blob","ref":{"$link":"b)" + std::to_string(++uploads) +
                                            R"("},"mimeType":"image/png","size":9}})");
                }}});
        auto post = publication({"Two pictures", "One more"});
        post.parts[0].files = {picture("A cat"), picture("")};
        post.parts[1].files = {picture("A dog")};
        const auto outcomes = publish(networks->get(Platform::Bluesky), post, anna);
        equal(5, outcomes.size());
        CHECK(outcomes.back().kind == Kind::Done);
        const auto sent = http().requests();
        equal("image/png", header(sent.at(0), "Content-Type"));
        const auto& first = sent.at(2).body;
        CPPUNIT_ASSERT_MESSAGE(first, first.find(R"("$type":"app.bsky.embed.images")") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(first, first.find(R"("$link":"b1"})") < first.find(R"("alt":"A cat")"));
        CPPUNIT_ASSERT_MESSAGE(first, first.find(R"("alt":"A cat")") < first.find(R"("$link":"b2"})"));
        CHECK(first.find(R"("aspectRatio":{"width":30,"height":20})") != std::string::npos);
        CHECK(sent.at(4).body.find(R"("$link":"b3"})") != std::string::npos);
        CHECK(sent.at(4).body.find(R"("$link":"b1"})") == std::string::npos);
    }

    Publication withLink() const
    {
        auto post = publication({"Read this"});
        post.linkUrl = "https://news.example/a/story";
        return post;
    }

    TEST(showsALinkCardWithItsPicture)
    {
        serve({{"/a/story", always(200, R"(<html><head><meta property="og:title" content="Big &amp; small"><meta name=description )"
                                        R"(content='About both'><meta property="og:image" content="/card.png"></head>)")},
               {"/card.png", always(200, samples::png(1))},
               {"putRecord", put},
               {"uploadBlob", always(200, R"({"blob":{"ref":{"$link":"thumb"}}})")}});
        const auto outcomes = publish(networks->get(Platform::Bluesky), withLink(), anna);
        equal(2, outcomes.size());
        const auto record = http().requests().back().body;
        CPPUNIT_ASSERT_MESSAGE(record,
                               record.find(R"("external":{"uri":"https://news.example/a/story","title":"Big & small",)"
                                           R"("description":"About both","thumb":{"ref":{"$link":"thumb"}}})") != std::string::npos);
    }

    TEST(showsALinkCardWithoutAPicture)
    {
        auto& bluesky = networks->get(Platform::Bluesky);
        const std::string page = R"(<title>Story</title><meta property="og:image" content="https://news.example/card.png">)";
        // The picture is missing or invalid, or the account's server rejects it.
        for (const auto& [picture, upload] : std::vector<std::pair<std::string, int>>{{"", 200}, {"<svg/>", 200}, {samples::png(1), 400}})
        {
            serve({{"/a/story", always(200, page)},
                   {"/card.png", always(picture.empty() ? 404 : 200, picture)},
                   {"putRecord", put},
                   {"uploadBlob", always(upload, R"({"error":"InvalidRequest"})")}});
            const auto outcomes = publish(bluesky, withLink(), anna);
            CHECK(outcomes.back().kind == Kind::Done);
            const auto record = http().requests().back().body;
            CPPUNIT_ASSERT_MESSAGE(record, record.find(R"("title":"Story")") != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(record, record.find("thumb") == std::string::npos);
        }
        serve({{"putRecord", put}});
        equal(1, publish(bluesky, withLink(), anna).size());
        CHECK(http().requests().back().body.find(R"("title":"news.example/a/story")") != std::string::npos);
    }

    TEST(waitsUntilMastodonHasPreparedAFile)
    {
        int status = 206;
        serve({{"/api/v2/media", always(202, R"({"id":"55","url":null})")},
               {"/api/v1/media/55", [&](const HttpClient::Request&) { return respond(status, R"({"id":"55"})"); }},
               {"/api/v1/statuses",
                always(200, R"({"id":"9","content":"<p>Look</p>","url":"https://social.example/9","account":{"id":"7"}})")}});
        auto& mastodon = networks->get(Platform::Mastodon);
        auto post = publication({"Look"});
        post.parts[0].files = {picture("A cat")};
        const auto steps = mastodon.prepare(post, fediverse, now);
        const auto waiting = performAll(mastodon, steps, fediverse, now);
        CHECK(waiting.back().kind == Kind::Retry && waiting.back().notBefore == now + 3s);
        CHECK(http().requests().at(0).body.find("A cat") != std::string::npos);
        const std::vector<StepResult> results{waiting.front().result};
        const auto later = [&](std::chrono::seconds after) {
            return mastodon.perform({steps[1], results, std::span(steps).first(1), fediverse, now, now + after});
        };
        // Polls less often over time, and gives up after half an hour.
        CHECK(later(40s).notBefore == now + 60s);
        CHECK(later(1000s).notBefore == now + 1060s && !later(31min).notBefore);
        status = 422;
        CHECK(later(10s).kind == Kind::Failed && later(10s).code == FailureCode::MediaRejected);
        status = 500;
        CHECK(later(10s).kind == Kind::Retry);
        status = 200;
        CHECK(later(10s).kind == Kind::Done);
        CHECK(http().requests().back().body.find(R"("media_ids":["55"])") != std::string::npos);
    }

    std::unique_ptr<testing::TemporaryDirectory> keys;
    NetworkAccount anna, fediverse;
};

} // namespace portico::tests
