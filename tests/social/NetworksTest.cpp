#include "social/NetworkFixture.h"

namespace portico::tests
{

using namespace social;

class NetworksTest : public Suite<NetworksTest, NetworkFixture>
{
    TEST(knowsLimitsOfEveryPlatform)
    {
        for (const auto& [name, platform] : detail::descriptionOf<Platform>)
        {
            const auto limits = networks->limits(platform);
            CPPUNIT_ASSERT_MESSAGE(std::string(name), limits.maxText >= 280 && !limits.mimeTypes.empty());
            const bool planned = name == "pinterest" || name == "youtube" || name == "tiktok";
            equal(planned, networks->find(platform) == nullptr, name);
        }
    }

    TEST(namesTheSettingsThatAnOperatorNeeds)
    {
        for (const auto platform : {Platform::LinkedIn, Platform::FacebookPage, Platform::Instagram, Platform::Threads, Platform::X})
        {
            const auto& network = networks->get(platform);
            const auto reasons = network.missing();
            equal(2, reasons.size());
            equal("social." + std::string(toString(platform)) + ".clientId", reasons[0].setting);
            CPPUNIT_ASSERT_THROW(networks->get(platform).connect({}), ConnectFault);
        }
        for (const auto platform : {Platform::Webhook, Platform::Bluesky, Platform::Mastodon})
            CHECK(networks->get(platform).missing().empty());
        // The origin of the test is plain http.
        equal(host->context().host().plainHttp, !networks->get(Platform::Mastodon).trialReasons().empty());
    }

    TEST(findsWhatDoesNotFitANetwork)
    {
        const auto codes = [&](Platform platform, Publication post)
        {
            std::string list;
            for (const auto& fault : networks->get(platform).faults(post, nullptr))
                list += (list.empty() ? "" : " ") + std::to_string(fault.part) + ":" + fault.code;
            return list;
        };
        const auto file = [](std::string kind, std::string type, std::int64_t size)
        {
            PublishedFile made;
            made.kind = std::move(kind);
            made.contentType = std::move(type);
            made.size = size;
            return made;
        };
        auto post = publication({"Text", std::string(501, 'x'), ""});
        equal("1:text_too_long 2:required", codes(Platform::Mastodon, post));
        post = publication({"Text"});
        post.parts[0].files = {file("image", "image/png", 100), file("video", "video/mp4", 100)};
        equal("0:mixed_media", codes(Platform::Bluesky, post));
        equal("", codes(Platform::Webhook, post));
        post.parts[0].files = std::vector(5, file("image", "image/png", 100));
        equal("0:too_many_media", codes(Platform::Bluesky, post));
        post.parts[0].files = {file("image", "image/png", 2'000'001), file("image", "image/svg+xml", 100)};
        equal("0:media_too_large 0:media_rejected", codes(Platform::Bluesky, post));
        post.parts[0].files.clear();
        post.settings = R"({"visibility":"everyone"})";
        equal("0:invalid_visibility", codes(Platform::Mastodon, post));
        post = publication({std::string(490, 'x')});
        post.settings = R"({"contentWarning":"A long warning"})";
        equal("0:text_too_long", codes(Platform::Mastodon, post));
    }
};

} // namespace portico::tests
