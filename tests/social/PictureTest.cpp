#include "social/PictureFixture.h"
#include "social/Pictures.h"

#include "media/MediaCopies.h"
#include "networks/Urls.h"

#include <map>
#include <stdexcept>
#include <string>

namespace portico::tests
{

using namespace social;

/// Thumbnails, and copies that fit a network, made by the real helper.
class PictureTest : public Suite<PictureTest, PictureFixture>
{
    void setUp() override
    {
        PictureFixture::setUp();
        account = addAccount(Platform::Webhook);
        idempotent->allowed = {.maxText = 500, .maxImages = 4, .maxImageBytes = 20'000, .mimeTypes = {"image/jpeg", "image/png"}};
    }

    std::string write(const std::string& media) const
    {
        const auto answer =
            made(brandCall(Method::Post, "/api/posts",
                           jsonWith(R"({"text":"Look","mediaIds":["$"],"targets":[{"integrationId":"$"}],"scheduledFor":"$"})", media,
                                    account, toString(now() + std::chrono::seconds(1)))));
        host->context().clock().advance(std::chrono::seconds(1));
        return answer.at("/contentIds/0");
    }
    testing::TestAnswer tried(const std::string& media, const std::string& at) const
    {
        return made(brandCall(Method::Post, "/api/posts?dryRun=true",
                              jsonWith(R"({"text":"Look","mediaIds":["$"],"targets":[{"integrationId":"$"}]})", media, at)));
    }

    TEST(showsAThumbnail)
    {
        const auto id = upload(pictures::png(1024, 512));
        equal("null", media(id).at("/thumbnailUrl"));
        host->context().jobs().runDue();
        const auto bytes = fetched(media(id).at("/thumbnailUrl"));
        equal("512x256", sizeOfJpeg(bytes));
        CHECK(bytes.size() <= 200'000);
        equal("none", faultOf(id));
    }

    TEST(turnsAndKeepsTransparency)
    {
        const auto turned = upload(pictures::png(60, 20, {.orientation = 6}));
        const auto clear = upload(pictures::png(60, 20, {.isTransparent = true}));
        host->context().jobs().runDue();
        equal("20x60", sizeOfJpeg(fetched(media(turned).at("/thumbnailUrl"))));
        equal("WEBP", fetched(media(clear).at("/thumbnailUrl")).substr(8, 4));
    }

    TEST(aBadPictureConcernsItselfOnly)
    {
        // 196 megapixels that have to be in memory as a whole; a file without pixels; a page behind a picture.
        const auto bomb = upload(pictures::png(14'000, 14'000, {.isInterlaced = true, .hasPixels = false}));
        const auto empty = upload(pictures::png(30, 20, {.hasPixels = false}));
        const auto polyglot = upload(pictures::png(40, 20) + "<script>alert(1)</script>");
        const auto good = upload(pictures::png(30, 20));
        host->context().jobs().runDue();
        equal("out_of_memory", faultOf(bomb));
        equal("malformed", faultOf(empty));
        equal("null", media(bomb).at("/thumbnailUrl"));
        equal(std::string::npos, fetched(media(polyglot).at("/thumbnailUrl")).find("script"));
        equal("30x20", sizeOfJpeg(fetched(media(good).at("/thumbnailUrl"))));
    }

    TEST(aCrashConcernsItselfOnly)
    {
        const auto first = upload(pictures::png(30, 20)), second = upload(pictures::png(40, 20));
        int runs = 0;
        host->context().helpers().answer(
            [&](const HelperTask&) -> HelperResult
            {
                if (++runs == 1) throw HelperFault(HelperFault::Cause::Crashed, "signal 11");
                return testing::FakeHelpers::making({"bytes"}, "image/jpeg 40 20\n");
            });
        host->context().jobs().runDue();
        equal(2, runs);
        equal("crashed none", faultOf(first) + " " + faultOf(second));
        equal("bytes", fetched(media(second).at("/thumbnailUrl")));
        // A helper that was taken over may report anything.
        const auto third = upload(pictures::png(50, 20));
        host->context().helpers().answer([](const HelperTask&) { return testing::FakeHelpers::making({"x"}, "text/html 40 20\n"); });
        host->context().jobs().runDue();
        equal("malformed_report", faultOf(third));
    }

    TEST(makesMissingThumbnails)
    {
        const auto id = upload(pictures::png(30, 20));
        change("DELETE FROM portico_job");
        equal("null", media(id).at("/thumbnailUrl"));
        host->reload();
        advance(std::chrono::hours(1));
        host->context().jobs().runDue();
        CHECK(media(id).at("/thumbnailUrl") != "null");
    }

    TEST(saysThatACopyIsSent)
    {
        // The networks of the service itself are the real ones.
        const auto bluesky = addAccount(Platform::Bluesky);
        const auto good = upload(pictures::png(1000, 800));
        auto damaged = pictures::png(1000, 800);
        damaged[damaged.find("IDAT") + 4] = '\0';
        const auto bad = upload(damaged);
        const auto answer = tried(good, bluesky);
        equal("true", answer.at("/valid"), answer.body);
        CPPUNIT_ASSERT_MESSAGE(answer.body, answer.body.find("media_resized") != std::string::npos);
        equal(std::string::npos, tried(upload(pictures::png(30, 20)), bluesky).body.find("media_resized"));
        // The service learns that a picture cannot be read from the helper.
        equal("true", tried(bad, bluesky).at("/valid"));
        host->context().jobs().runDue();
        equal("media_too_large", tried(bad, bluesky).at("/targets/0/errors/0/code"));
        equal("true", tried(good, bluesky).at("/valid"));
    }

    TEST(sendsACopyThatFits)
    {
        const auto id = upload(pictures::png(300, 200));
        const auto content = write(id);
        work();
        equal("published", status(content), item(content).body);
        const auto& sent = idempotent->files.at(0);
        equal("image/jpeg", sent.contentType);
        CHECK(sent.size > 0 && sent.size <= 20'000);
        const auto bytes = host->context().blobs().text(sent.blobKey).value();
        equal(static_cast<std::size_t>(sent.size), bytes.size());
        equal(std::to_string(sent.width) + "x" + std::to_string(sent.height), sizeOfJpeg(bytes));
        // A network that fetches the file gets the copy, too.
        CHECK(fetched(sent.url) == bytes);
    }

    TEST(givesNetworksTheUrlOfTheStore)
    {
        const auto large = upload(pictures::png(300, 200)), small = upload(pictures::png(30, 20));
        host->context().blobs().offerUrls();
        for (const auto& id : {large, small})
        {
            write(id);
            work();
            const auto& sent = idempotent->files.back();
            equal("https://blobs.example/" + sent.blobKey + "?lifetime=86400&type=" + sent.contentType, sent.url);
        }
        equal("image/jpeg", idempotent->files.front().contentType);
    }

    TEST(sendsTheSameCopyAgain)
    {
        const auto id = upload(pictures::png(300, 200));
        for (int i = 0; i < 2; ++i) write(id), work();
        equal(2, idempotent->files.size());
        equal(idempotent->files.at(0).blobKey, idempotent->files.at(1).blobKey);
        equal(1, host->context().helpers().tasks().size());
    }

    TEST(waitsWhileNoHelperRuns)
    {
        const auto id = upload(pictures::png(300, 200));
        host->context().helpers().answer([](const HelperTask&) -> HelperResult
                                         { throw HelperFault(HelperFault::Cause::NotStarted, "no processes"); });
        const auto content = write(id);
        work();
        equal("retrying", status(content));
        host->context().helpers().runFrom(socialPluginFolder());
        advance(untilNextAttempt(content));
        work();
        equal("published", status(content));
    }

    TEST(refusesWhatNoCopyCanFit)
    {
        const auto id = upload(pictures::png(30'000, 1, {.hasPixels = false}) + std::string(1, 'x'));
        idempotent->allowed.maxImageBytes = 20;
        const auto content = write(id);
        work();
        equal("failed", status(content));
        equal("media_too_large", item(content).at("/failure/code"));
    }

    TEST(deletesCopiesWithTheFile)
    {
        const auto id = upload(pictures::png(300, 200));
        write(id);
        work();
        host->context().jobs().runDue();
        const auto thumbnail = media(id).at("/thumbnailUrl");
        const auto copy = idempotent->files.at(0);
        equal(204, brandCall(Method::Delete, "/api/media/" + id).status);
        CHECK(!host->context().blobs().text(copy.blobKey));
        for (const auto& url : {thumbnail, copy.url}) equal(404, host->call(Method::Get, pathOf(url)).status);
        equal(0, host->context().blobs().usedBytes(brand));
    }

    TEST(knowsWhatACopyIsNeededFor)
    {
        PublishedFile file;
        file.kind = "image";
        file.contentType = "image/webp";
        file.size = 100;
        file.width = file.height = 100;
        NetworkLimits limits{.maxImageBytes = 100, .mimeTypes = {"image/webp", "image/jpeg"}};
        CHECK(!copyNeeded(file, limits));
        limits.maxImagePixels = 9'999;
        equal("edge=2048,pixels=9999,bytes=100,types=image/jpeg", copyNeeded(file, limits).value().text());
        limits = {.maxImageBytes = 1000, .mimeTypes = {"image/jpeg", "image/png"}};
        equal("edge=2048,bytes=1000,types=image/jpeg+image/png", copyNeeded(file, limits).value().text());
        file.kind = "gif";
        CHECK(!copyNeeded(file, limits));
        file.kind = "image";
        file.contentType = "image/avif";
        CHECK(!copyNeeded(file, limits));
    }

    std::string account;
};

} // namespace portico::tests
