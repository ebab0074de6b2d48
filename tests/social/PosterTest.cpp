#include "social/MediaSamples.h"
#include "social/PictureFixture.h"

#include "media/PictureHelper.h"

#include "portico/testing/TemporaryDirectory.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace portico::tests
{

using namespace social;

namespace
{
constexpr const char* moving = "-f lavfi -i testsrc=s=64x36:d=1:r=5";

/// Returns a video that the program `ffmpeg` makes.
std::string encoded(const std::string& input, const std::string& options, const std::string& ending)
{
    const testing::TemporaryDirectory directory;
    const auto file = directory.path() / ("video." + ending);
    const auto command =
        "ffmpeg -v error -nostdin " + input + " -pix_fmt yuv420p -bitexact -threads 1 " + options + " '" + file.string() + "'";
    equal(0, std::system(command.c_str()), command);
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
}
std::string mp4(const std::string& input = moving, const std::string& options = {})
{
    return encoded(input, "-c:v libx264 -preset ultrafast " + options, "mp4");
}

/// Changes the size that the entry of the codec in an MP4 has (ISO/IEC 14496-12, 12.1.3).
std::string withSize(std::string video, std::uint64_t width, std::uint64_t height)
{
    const auto entry = video.find("avc1", video.find("stsd"));
    CHECK(entry != std::string::npos);
    return video.replace(entry + 28, 4, samples::big(width, 2) + samples::big(height, 2));
}

/// Turns an MP4 by 90 degrees, as a telephone does (ISO/IEC 14496-12, 8.3.2).
std::string turned(std::string video)
{
    const auto matrix = video.find("tkhd") + 4 + 40;
    const std::uint64_t values[] = {0, 0x10000, 0, 0xffff0000, 0, 0, 36 << 16, 0, 0x40000000};
    std::string bytes;
    for (const auto value : values) bytes += samples::big(value, 4);
    return video.replace(matrix, bytes.size(), bytes);
}
} // namespace

/// Thumbnails of videos, made by the real helper.
class PosterTest : public Suite<PosterTest, PictureFixture>
{
    void setUp() override
    {
        CPPUNIT_ASSERT_MESSAGE("This build has no program that makes posters: packaging/build-packages.txt names its libraries.",
                               hasPosters());
        PictureFixture::setUp();
    }

    std::string posterOf(const std::string& bytes, const std::string& type = "video/mp4") const
    {
        const auto id = upload(bytes, type);
        host->context().jobs().runDue();
        equal("none", faultOf(id));
        return fetched(media(id).at("/thumbnailUrl"));
    }
    /// Uploads a video without a poster; returns why it has none. The video itself is published.
    std::string faultOfVideo(const std::string& bytes, const std::string& type = "video/mp4")
    {
        const auto id = upload(bytes, type);
        host->context().jobs().runDue();
        equal("null", media(id).at("/thumbnailUrl"));
        const auto content = write(id);
        work();
        equal("published", status(content), item(content).body);
        return faultOf(id);
    }
    std::string write(const std::string& id)
    {
        if (account.empty()) account = addAccount(Platform::Webhook);
        idempotent->allowed = {.maxText = 500, .maxVideos = 1, .maxVideoBytes = 1 << 20, .mimeTypes = {"video/mp4", "video/webm"}};
        const auto answer =
            made(brandCall(Method::Post, "/api/posts",
                           jsonWith(R"({"text":"Look","mediaIds":["$"],"targets":[{"integrationId":"$"}],"scheduledFor":"$"})", id, account,
                                    toString(now() + std::chrono::seconds(1)))));
        host->context().clock().advance(std::chrono::seconds(1));
        return answer.at("/contentIds/0");
    }

    TEST(showsAFrameOfEachFormat)
    {
        const std::pair<std::string, std::string> videos[] = {
            {mp4(), "video/mp4"},
            {encoded(moving, "-c:v libx264 -f mov", "mov"), "video/quicktime"},
            {encoded(moving, "-c:v libx265 -x265-params log-level=0", "mp4"), "video/mp4"},
            {mp4(moving, "-movflags frag_keyframe+empty_moov"), "video/mp4"},
            {encoded(moving, "-c:v libvpx", "webm"), "video/webm"},
            {encoded(moving, "-c:v libvpx-vp9", "webm"), "video/webm"}};
        for (const auto& [bytes, type] : videos) equal("64x36", sizeOfJpeg(posterOf(bytes, type)), type);
        equal("512x288", sizeOfJpeg(posterOf(mp4("-f lavfi -i testsrc=s=640x360:d=1:r=1"))));
    }

    TEST(showsVideosAsPlayersDo)
    {
        equal("36x64", sizeOfJpeg(posterOf(turned(mp4()))));
        equal("128x36", sizeOfJpeg(posterOf(mp4(moving, "-vf setsar=2"))));
    }

    TEST(passesOverFramesOfOneColour)
    {
        const auto black = posterOf(mp4("-f lavfi -i color=black:s=64x36:d=1:r=5"));
        const auto fading = posterOf(mp4("-f lavfi -i 'color=black:s=64x36:d=1:r=5[a];testsrc=s=64x36:d=1:r=5[b];[a][b]concat'"));
        CHECK(fading.size() > black.size());
    }

    TEST(decodesLargeVideosWithinItsMemory)
    {
        const auto poster = posterOf(mp4("-f lavfi -i testsrc=s=3840x2160:d=1:r=2", "-refs 16 -bf 3"));
        equal("512x288", sizeOfJpeg(poster));
    }

    TEST(aDamagedVideoLosesItsPosterOnly)
    {
        // Headers without frames, frames of noise, zeros instead of the second half and of all frames.
        equal("unsupported", faultOfVideo(samples::mp4()));
        auto noise = mp4();
        const auto frames = noise.find("mdat") + 4;
        for (auto at = frames; at < noise.find("moov", frames) - 4; ++at) noise[at] = static_cast<char>(at * 31 + at / 7);
        equal("malformed", faultOfVideo(noise));
        const auto whole = encoded(moving, "-c:v libvpx", "webm");
        // The index follows the frames.
        const auto cluster = whole.find("\x1f\x43\xb6\x75"), index = whole.rfind("\x1c\x53\xbb\x6b");
        const auto without = [&](std::size_t at) { return std::string(whole).replace(at, index - at, index - at, '\0'); };
        equal("64x36", sizeOfJpeg(posterOf(without((cluster + index) / 2), "video/webm")));
        equal("malformed", faultOfVideo(without(cluster + 12), "video/webm"));
        // AV1 is a codec that the helper does not have.
        auto other = mp4();
        other.replace(other.find("avc1", other.find("stsd")), 4, "av01");
        equal("unsupported", faultOfVideo(other));
    }

    TEST(aBombLosesItsPosterOnly)
    {
        equal("too_many_pixels", faultOfVideo(withSize(mp4(), 65'535, 65'535)));
        // A table of sizes that claims 2^32 frames.
        auto endless = mp4();
        endless.replace(endless.find("stsz") + 8, 8, samples::big(1, 4) + samples::big(0xffffffff, 4));
        faultOfVideo(endless);
        equal("64x36", sizeOfJpeg(posterOf(mp4())));
    }

    TEST(aCrashConcernsItselfOnly)
    {
        const auto video = mp4();
        const auto first = upload(video, "video/mp4"), second = upload(video, "video/mp4"), third = upload(video, "video/mp4");
        int runs = 0;
        host->context().helpers().answer(
            [&](const HelperTask& task) -> HelperResult
            {
                equal("helpers/posters", task.program);
                if (++runs == 1) throw HelperFault(HelperFault::Cause::Crashed, "signal 11");
                if (runs == 2) throw HelperFault(HelperFault::Cause::TimedOut, "30 s");
                return testing::FakeHelpers::making({"bytes"}, "image/jpeg 64 36\n");
            });
        host->context().jobs().runDue();
        equal("crashed timed_out none", faultOf(first) + " " + faultOf(second) + " " + faultOf(third));
        equal("ready ready", media(first).at("/status") + " " + media(second).at("/status"));
        equal("bytes", fetched(media(third).at("/thumbnailUrl")));
        // A poster is a JPEG, also when a helper that was taken over reports another type.
        const auto fourth = upload(video, "video/mp4");
        host->context().helpers().answer([](const HelperTask&) { return testing::FakeHelpers::making({"x"}, "image/webp 64 36\n"); });
        host->context().jobs().runDue();
        equal("malformed_report", faultOf(fourth));
    }

    TEST(waitsWhileNoHelperRuns)
    {
        const auto id = upload(mp4(), "video/mp4");
        host->context().helpers().answer([](const HelperTask&) -> HelperResult
                                         { throw HelperFault(HelperFault::Cause::NotStarted, "no processes"); });
        host->context().jobs().runDue();
        equal("none null", faultOf(id) + " " + media(id).at("/thumbnailUrl"));
        host->context().helpers().runFrom(socialPluginFolder());
        advance(std::chrono::hours(1));
        host->context().jobs().runDue();
        CHECK(media(id).at("/thumbnailUrl") != "null");
    }

    TEST(makesPostersOfEarlierVideos)
    {
        const auto id = upload(mp4(), "video/mp4");
        change("DELETE FROM portico_job");
        host->reload();
        advance(std::chrono::hours(1));
        host->context().jobs().runDue();
        equal("64x36", sizeOfJpeg(fetched(media(id).at("/thumbnailUrl"))));
    }

    TEST(isDeletedWithTheVideo)
    {
        const auto id = upload(mp4(), "video/mp4");
        host->context().jobs().runDue();
        const auto poster = media(id).at("/thumbnailUrl");
        equal(204, brandCall(Method::Delete, "/api/media/" + id).status);
        equal(404, host->call(Method::Get, pathOf(poster)).status);
        equal(0, host->context().blobs().usedBytes(brand));
    }

    std::string account;
};

} // namespace portico::tests
