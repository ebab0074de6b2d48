#include "social/MediaSamples.h"
#include "social/SocialFixture.h"

#include "media/Boxes.h"
#include "media/ImageBytes.h"
#include "media/ImageCleaner.h"
#include "media/MediaTypes.h"
#include "media/Webm.h"

#include "portico/Crypto.h"

#include <map>
#include <string>

namespace portico::tests
{

using namespace social;

/// Files of a brand: tickets, bytes, cleaning, addresses.
class MediaTest : public SocialFixture
{
    CPPUNIT_TEST_SUITE(MediaTest);
    CPPUNIT_TEST(takesAFileInThreeSteps);
    CPPUNIT_TEST(servesNoMetadata);
    CPPUNIT_TEST(turnsSizesByOrientation);
    CPPUNIT_TEST(survivesEveryCut);
    CPPUNIT_TEST(cutsOfWebmEnd);
    CPPUNIT_TEST(refusesPixelBombs);
    CPPUNIT_TEST(refusesTamperedTickets);
    CPPUNIT_TEST(refusesTamperedAddresses);
    CPPUNIT_TEST(refusesWhatDoesNotFit);
    CPPUNIT_TEST(rejectsOtherTypes);
    CPPUNIT_TEST(rejectsBrokenFiles);
    CPPUNIT_TEST(checksTheDigest);
    CPPUNIT_TEST(uploadsToTheStore);
    CPPUNIT_TEST(checksWhatTheStoreReceived);
    CPPUNIT_TEST(servesFromTheStore);
    CPPUNIT_TEST(keepsTheLimitOfADay);
    CPPUNIT_TEST(listsAndDescribes);
    CPPUNIT_TEST(deletes);
    CPPUNIT_TEST(forgetsWhatWasNeverSent);
    CPPUNIT_TEST(movesWithTheBrand);
    CPPUNIT_TEST(showsTheAvatarOfABrand);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        settings.config = {{"social.media.dailyMebibytes", "1"}};
        SocialFixture::setUp();
        brand = newBrand(admin);
    }

    void takesAFileInThreeSteps()
    {
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        CPPUNIT_ASSERT_EQUAL(std::string("PUT"), ticket.at("/method"));
        CPPUNIT_ASSERT_EQUAL(std::string("image/png"), ticket.at("/headers/Content-Type"));
        CPPUNIT_ASSERT_EQUAL(std::to_string(bytes.size()), ticket.at("/headers/Content-Length"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:15:00.000Z"), ticket.at("/expiresAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("20971520"), ticket.at("/maxBytes"));
        const auto id = ticket.at("/mediaId");
        CPPUNIT_ASSERT_EQUAL("/api/media/" + id + "/complete?brandId=" + brand, ticket.at("/completeUrl"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending_upload"), get(member, "/api/media/" + id).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(member, "/api/media/" + id).at("/url"));
        assertProblem(post(member, ticket.at("/completeUrl")), 409, "not_uploaded");
        CPPUNIT_ASSERT_EQUAL(200, send(ticket, "image/png", bytes).status);
        const auto media = made(post(member, ticket.at("/completeUrl")));
        CPPUNIT_ASSERT_EQUAL(std::string("ready"), media.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("30"), media.at("/width"));
        CPPUNIT_ASSERT_EQUAL(std::string("20"), media.at("/height"));
        CPPUNIT_ASSERT_EQUAL(std::string("image"), media.at("/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), media.at("/usedBy"));
        const auto served = serve(media);
        CPPUNIT_ASSERT_EQUAL(std::to_string(served.size()), media.at("/size"));
        CPPUNIT_ASSERT_EQUAL(sha256(served).hex(), media.at("/sha256"));
        for (const auto* hidden : {"blob", "originalKey", "publishKey", "uploadId"})
            CPPUNIT_ASSERT_EQUAL(std::string::npos, media.body.find(hidden));
        // A second time nothing happens.
        CPPUNIT_ASSERT_EQUAL(media.at("/version"), made(post(member, ticket.at("/completeUrl"))).at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/content-ops/events?kind=media.uploaded").count("/items"));
    }

    void servesNoMetadata()
    {
        const std::map<std::string, std::string> files = {{"image/jpeg", samples::jpeg(6)}, {"image/png", samples::png(6)},
                                                          {"image/webp", samples::webp(6)}, {"image/gif", samples::gif()},
                                                          {"image/avif", samples::avif()},  {"video/mp4", samples::mp4()},
                                                          {"video/webm", samples::webm()}};
        for (const auto& [type, bytes] : files)
        {
            CPPUNIT_ASSERT_MESSAGE(type, bytes.find(samples::secret) != std::string::npos);
            const auto media = uploaded(type, bytes);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(type + media.body, std::string("ready"), media.at("/status"));
            const auto served = serve(media);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(type, std::string::npos, served.find(samples::secret));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(type, type, std::string(sniffMediaType(served.substr(0, 64))->contentType));
        }
        const auto video = uploaded("video/mp4", samples::mp4());
        CPPUNIT_ASSERT_EQUAL(std::string("640"), video.at("/width"));
        CPPUNIT_ASSERT_EQUAL(std::string("360"), video.at("/height"));
        CPPUNIT_ASSERT_EQUAL(std::string("2000"), video.at("/durationMs"));
        // The bytes as they came are gone.
        auto session = host->context().database().session();
        for (const auto& row : session.query("SELECT original_key FROM media")) CPPUNIT_ASSERT(!host->context().blobs().open(row.text(0)));
    }

    void turnsSizesByOrientation()
    {
        for (const auto& [type, make] : std::map<std::string, std::string (*)(int)>{
                 {"image/jpeg", samples::jpeg}, {"image/png", samples::png}, {"image/webp", samples::webp}})
            for (int orientation = 1; orientation <= 8; ++orientation)
            {
                const auto cleaned = cleanImage(type, make(orientation));
                CPPUNIT_ASSERT_EQUAL_MESSAGE(type, std::int64_t{orientation < 5 ? 30 : 20}, cleaned.width);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(type, std::int64_t{orientation < 5 ? 20 : 30}, cleaned.height);
                // What was cleaned is clean: the same bytes, and the orientation is still there.
                const auto again = cleanImage(type, cleaned.bytes);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(type, cleaned.bytes, again.bytes);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(type, cleaned.width, again.width);
            }
        CPPUNIT_ASSERT_EQUAL(1, imagebytes::orientationOf(samples::exif(9)));
        CPPUNIT_ASSERT_EQUAL(1, imagebytes::orientationOf("MM"));
        CPPUNIT_ASSERT_EQUAL(7, imagebytes::orientationOf(imagebytes::orientationBlock(7)));
    }

    void survivesEveryCut()
    {
        const std::map<std::string, std::string> files = {{"image/jpeg", samples::jpeg(6)},
                                                          {"image/png", samples::png(6)},
                                                          {"image/webp", samples::webp(6)},
                                                          {"image/gif", samples::gif()}};
        for (const auto& [type, bytes] : files)
            for (std::size_t length = 0; length < bytes.size(); ++length) try
                {
                    cleanImage(type, bytes.substr(0, length));
                    // Whole without what is behind its end.
                    CPPUNIT_ASSERT_MESSAGE(type + std::to_string(length), length + samples::secret.size() + 24 >= bytes.size());
                }
                catch (const MediaFault&)
                {
                }
        for (const bool isImage : {false, true})
        {
            const auto bytes = isImage ? samples::avif() : samples::mp4();
            for (std::size_t length = 0; length < bytes.size(); ++length)
            {
                const auto cut = bytes.substr(0, length);
                const auto read = [&cut](std::uint64_t at, std::size_t count)
                { return at < cut.size() ? cut.substr(at, count) : std::string(); };
                try
                {
                    readBoxes(read, cut.size(), isImage);
                }
                catch (const MediaFault&)
                {
                }
            }
        }
    }

    void cutsOfWebmEnd()
    {
        const auto bytes = samples::webm();
        for (std::size_t length = 0; length < bytes.size(); ++length)
        {
            const auto read = [&](std::uint64_t at, std::size_t count)
            { return at < length ? bytes.substr(at, std::min<std::size_t>(count, length - at)) : std::string(); };
            try
            {
                webmMetadata(read, length);
            }
            catch (const MediaFault&)
            {
            }
        }
        const auto whole = [&](std::uint64_t at, std::size_t count) { return at < bytes.size() ? bytes.substr(at, count) : std::string(); };
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, webmMetadata(whole, bytes.size()).size());
        CPPUNIT_ASSERT_EQUAL(std::string("\xec\x10\x00\x00\x0a", 5).size(), webmMetadata(whole, bytes.size()).front().start.size());
    }

    void refusesPixelBombs()
    {
        auto bytes = samples::png(1);
        bytes.replace(16, 8, samples::big(0x7fffffff, 4) + samples::big(0x7fffffff, 4));
        CPPUNIT_ASSERT_EQUAL(std::string("too_many_pixels"), uploaded("image/png", bytes).at("/rejectReason"));
        auto empty = samples::png(1);
        empty.replace(16, 4, samples::big(0, 4));
        CPPUNIT_ASSERT_EQUAL(std::string("malformed"), uploaded("image/png", empty).at("/rejectReason"));
    }

    void refusesTamperedTickets()
    {
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        const auto target = targetOf(ticket.at("/uploadUrl"));
        const auto with = [&](const std::string& name, const std::string& value)
        {
            const auto at = target.find(name + "=") + name.size() + 1;
            return target.substr(0, at) + value + target.substr(std::min(target.find('&', at), target.size()));
        };
        for (const auto& altered : {with("exp", "9999999999"), with("len", "1"), with("ct", "image%2Fgif"), with("sig", "forged"),
                                    with("sig", ""), "/api/media/blob/upl_01jd0000000000000000000000" + target.substr(target.find('?'))})
            assertProblem(sendTo(altered, "image/png", bytes), 403, "invalid_signature");
        assertProblem(sendTo(target, "image/gif", bytes), 403, "invalid_signature");
        assertProblem(sendTo(target, "image/png", bytes + "x"), 413, "payload_too_large");
        assertProblem(sendTo(target, "image/png", bytes.substr(1)), 400, "validation_failed");
        testing::TestRequest chunked{Method::Put, target, bytes, {{"Content-Type", "image/png"}}, Caller::nobody()};
        assertProblem(host->call(chunked), 411, "length_required");
        CPPUNIT_ASSERT_EQUAL(200, sendTo(target, "image/png", bytes).status);
        assertProblem(sendTo(target, "image/png", bytes), 409, "conflict");
        const auto late = begin("image/png", bytes.size());
        advance(std::chrono::minutes(15) + std::chrono::seconds(1));
        assertProblem(send(late, "image/png", bytes), 410, "upload_expired");
    }

    void refusesTamperedAddresses()
    {
        const auto media = uploaded("image/png", samples::png(1));
        const auto target = targetOf(media.at("/url"));
        const auto call = [this](const std::string& address) { return host->call(Method::Get, address); };
        CPPUNIT_ASSERT_EQUAL(200, call(target).status);
        const auto other = uploaded("image/png", samples::png(2)).at("/mediaId");
        auto moved = target;
        moved.replace(moved.find("med_"), other.size(), other);
        auto variant = target;
        variant.replace(variant.find("/publish"), 8, "/thumbnail");
        auto later = target;
        later.replace(later.find("exp=") + 4, 1, "9");
        for (const auto& altered : {moved, variant, later, target + "x"}) assertProblem(call(altered), 403, "invalid_signature");
        assertProblem(call(target.substr(0, target.find('?'))), 403, "invalid_signature");
        advance(std::chrono::hours(24));
        CPPUNIT_ASSERT_EQUAL(200, call(target).status);
        advance(std::chrono::seconds(1));
        assertProblem(call(target), 410, "link_expired");
    }

    void refusesWhatDoesNotFit()
    {
        const auto refuse = [this](const std::string& type, std::int64_t size, int status, const std::string& code)
        { assertProblem(post(member, "/api/media/upload", bodyOf(type, size)), status, code); };
        refuse("image/svg+xml", 100, 415, "unsupported_media_type");
        refuse("text/html", 100, 415, "unsupported_media_type");
        refuse("image/png", 0, 400, "validation_failed");
        refuse("image/png", (20 << 20) + 1, 413, "payload_too_large");
        refuse("image/gif", (15 << 20) + 1, 413, "payload_too_large");
        refuse("application/pdf", (25 << 20) + 1, 413, "payload_too_large");
        refuse("video/mp4", (std::int64_t{512} << 20) + 1, 413, "payload_too_large");
        assertProblem(post(stranger, "/api/media/upload", bodyOf("image/png", 10)), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/media").count("/items"));
    }

    void rejectsOtherTypes()
    {
        for (const auto& bytes :
             {samples::gif(), std::string("<svg xmlns='http://www.w3.org/2000/svg'/>"), std::string("<html>"), std::string(1, 'x')})
        {
            const auto ticket = begin("image/png", bytes.size());
            CPPUNIT_ASSERT_EQUAL(200, send(ticket, "image/png", bytes).status);
            assertProblem(post(member, ticket.at("/completeUrl")), 415, "unsupported_media_type");
            const auto media = get(member, "/api/media/" + ticket.at("/mediaId"));
            CPPUNIT_ASSERT_EQUAL(std::string("rejected"), media.at("/status"));
            CPPUNIT_ASSERT_EQUAL(std::string("type_mismatch"), media.at("/rejectReason"));
            CPPUNIT_ASSERT_EQUAL(std::string("null"), media.at("/url"));
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, get(admin, "/api/content-ops/events?kind=media.rejected").count("/items"));
    }

    void rejectsBrokenFiles()
    {
        const auto cut = samples::jpeg(1).substr(0, 60);
        CPPUNIT_ASSERT_EQUAL(std::string("truncated"), uploaded("image/jpeg", cut).at("/rejectReason"));
        const auto video = samples::mp4();
        CPPUNIT_ASSERT_EQUAL(std::string("truncated"), uploaded("video/mp4", video.substr(0, video.size() - 3)).at("/rejectReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("truncated"), uploaded("video/mp4", video.substr(0, 24)).at("/rejectReason"));
    }

    void checksTheDigest()
    {
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        send(ticket, "image/png", bytes);
        const auto media = made(post(member, ticket.at("/completeUrl"), R"({"sha256":")" + std::string(64, '0') + "\"}"));
        CPPUNIT_ASSERT_EQUAL(std::string("checksum_mismatch"), media.at("/rejectReason"));
        const auto second = begin("image/png", bytes.size());
        send(second, "image/png", bytes);
        CPPUNIT_ASSERT_EQUAL(std::string("ready"),
                             made(post(member, second.at("/completeUrl"), R"({"sha256":")" + sha256(bytes).hex() + "\"}")).at("/status"));
    }

    void uploadsToTheStore()
    {
        auto& blobs = host->context().blobs();
        blobs.offerUrls();
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        const auto key = storeKeyOf(ticket);
        CPPUNIT_ASSERT(ticket.at("/uploadUrl").ends_with("?lifetime=900&type=image/png"));
        assertProblem(post(member, ticket.at("/completeUrl")), 409, "not_uploaded");
        blobs.upload(key, bytes);
        CPPUNIT_ASSERT_EQUAL(std::string("ready"), made(post(member, ticket.at("/completeUrl"))).at("/status"));
        CPPUNIT_ASSERT(!blobs.open(key));
        // The URL works again until it expires: the sweep removes what came afterwards, also of a file that was deleted.
        const auto second = begin("image/png", bytes.size());
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/media/" + second.at("/mediaId")).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, removalsAfter(std::chrono::minutes(0)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, removalsAfter(std::chrono::minutes(14)));
        blobs.upload(storeKeyOf(second), bytes);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, removalsAfter(std::chrono::hours(1)));
        CPPUNIT_ASSERT(!blobs.open(storeKeyOf(second)));
    }

    void checksWhatTheStoreReceived()
    {
        auto& blobs = host->context().blobs();
        blobs.offerUrls();
        const auto complete = [&](const std::string& bytes, const std::string& body)
        {
            const auto ticket = begin("image/png", bytes.size());
            blobs.upload(storeKeyOf(ticket), bytes);
            return post(member, ticket.at("/completeUrl"), body);
        };
        const auto bytes = samples::png(1);
        CPPUNIT_ASSERT_EQUAL(std::string("checksum_mismatch"),
                             made(complete(bytes, R"({"sha256":")" + std::string(64, '0') + "\"}")).at("/rejectReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("ready"), made(complete(bytes, R"({"sha256":")" + sha256(bytes).hex() + "\"}")).at("/status"));
        assertProblem(complete("<html>", "{}"), 415, "unsupported_media_type");
        // A store that ignores the length of the ticket.
        const auto ticket = begin("image/png", bytes.size() + 1);
        const auto other = blobs.store(brand, bytes);
        change("UPDATE media SET original_key = '" + other + "' WHERE id = '" + ticket.at("/mediaId") + "'");
        CPPUNIT_ASSERT_EQUAL(std::string("size_differs"), made(post(member, ticket.at("/completeUrl"))).at("/rejectReason"));
    }

    void servesFromTheStore()
    {
        const auto media = uploaded("image/png", samples::png(1));
        host->context().blobs().offerUrls();
        const auto answer = host->call(Method::Get, targetOf(media.at("/url")));
        CPPUNIT_ASSERT_EQUAL(302, answer.status);
        const auto headers = answer.headerBlock();
        const auto at = headers.find("Location: ") + 10;
        const auto location = headers.substr(at, headers.find("\r\n", at) - at);
        CPPUNIT_ASSERT(location.starts_with("https://blobs.example/"));
        CPPUNIT_ASSERT(location.ends_with("?lifetime=60&type=image/png"));
        CPPUNIT_ASSERT_EQUAL(std::string("private, no-store"), answer.cacheControl);
        assertProblem(host->call(Method::Get, targetOf(media.at("/url")) + "x"), 403, "invalid_signature");
    }

    void keepsTheLimitOfADay()
    {
        made(post(member, "/api/media/upload", bodyOf("image/png", 700'000)));
        assertProblem(post(member, "/api/media/upload", bodyOf("image/png", 400'000)), 413, "payload_too_large");
        advance(std::chrono::hours(24) + std::chrono::seconds(1));
        made(post(member, "/api/media/upload", bodyOf("image/png", 400'000)));
    }

    void listsAndDescribes()
    {
        const auto id = uploaded("image/png", samples::png(1)).at("/mediaId");
        advance(std::chrono::seconds(1));
        uploaded("image/gif", samples::gif());
        const auto list = get(member, "/api/media");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, list.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("gif"), list.at("/items/0/kind"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(member, "/api/media?kind=image&status=ready&q=FILE").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(member, "/api/media?status=rejected").count("/items"));
        const auto described = made(patch(member, "/api/media/" + id, R"({"altText":" A cat on a wall ","fileName":"ignored.png"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("A cat on a wall"), described.at("/altText"));
        CPPUNIT_ASSERT_EQUAL(std::string("file.bin"), described.at("/fileName"));
        assertProblem(patch(member, "/api/media/" + id, R"({"altText":")" + std::string(1501, 'x') + "\"}"), 400, "validation_failed");
        const auto theirs = newBrand(stranger);
        assertProblem(inBrand(theirs, Method::Get, "/api/media/" + id, stranger), 404, "not_found");
    }

    void deletes()
    {
        const auto media = uploaded("image/png", samples::png(1));
        const auto id = media.at("/mediaId"), target = targetOf(media.at("/url"));
        testing::TestRequest stale{Method::Delete, "/api/media/" + id, {}, {{"If-Match", "\"9\""}}, member};
        assertProblem(host->call(stale), 412, "version_conflict");
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/media/" + id).status);
        assertProblem(get(member, "/api/media/" + id), 404, "not_found");
        assertProblem(host->call(Method::Get, target), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, host->context().blobs().usedBytes(brand));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                             *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM media_removal"));
    }

    void forgetsWhatWasNeverSent()
    {
        const auto bytes = samples::png(1);
        begin("image/png", bytes.size());
        send(begin("image/png", bytes.size()), "image/png", bytes);
        uploaded("image/png", bytes);
        advance(std::chrono::hours(24));
        while (host->context().jobs().runDue() > 0) {}
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(member, "/api/media").count("/items"));
        CPPUNIT_ASSERT(host->context().jobs().failures().empty());
    }

    void movesWithTheBrand()
    {
        const auto media = uploaded("image/png", samples::png(1));
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        const auto moved = made(
            post(admin, "/api/brands/" + brand + "/transfer-organization", R"({"organizationId":")" + stranger.organizationId + "\"}"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), moved.at("/kept/media"));
        CPPUNIT_ASSERT_EQUAL(serve(media), serve(get(stranger, "/api/media/" + media.at("/mediaId"))));
    }

    void showsTheAvatarOfABrand()
    {
        const auto id = uploaded("image/png", samples::png(1)).at("/mediaId");
        const auto pdf = uploaded("application/pdf", "%PDF-1.7\n").at("/mediaId");
        const auto target = "/api/brands/" + brand;
        assertProblem(patch(admin, target, R"({"avatarMediaId":")" + pdf + "\"}"), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(id, made(patch(admin, target, R"({"avatarMediaId":")" + id + "\"}")).at("/avatarMediaId"));
        assertProblem(del(member, "/api/media/" + id), 409, "media_in_use");
        made(patch(admin, target, R"({"avatarMediaId":null})"));
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/media/" + id).status);
    }

private:
    static std::string storeKeyOf(const testing::TestAnswer& ticket)
    {
        const auto url = ticket.at("/uploadUrl");
        CPPUNIT_ASSERT(url.starts_with("https://blobs.example/"));
        return url.substr(22, url.find('?') - 22);
    }
    /// Rows of blobs that wait for their removal, after a while.
    std::int64_t removalsAfter(std::chrono::milliseconds time) const
    {
        advance(time);
        while (host->context().jobs().runDue() > 0) {}
        return *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM media_removal");
    }
    std::string bodyOf(const std::string& type, std::int64_t size) const
    {
        return R"({"fileName":"file.bin","contentType":")" + type + R"(","size":)" + std::to_string(size) + R"(,"brandId":")" + brand +
               "\"}";
    }
    testing::TestAnswer begin(const std::string& type, std::size_t size) const
    {
        return made(post(member, "/api/media/upload", bodyOf(type, static_cast<std::int64_t>(size))));
    }
    static std::string targetOf(const std::string& url) { return url.substr(url.find('/', url.find("://") + 3)); }
    testing::TestAnswer sendTo(const std::string& target, const std::string& type, const std::string& bytes) const
    {
        testing::TestRequest request{
            Method::Put, target, bytes, {{"Content-Type", type}, {"Content-Length", std::to_string(bytes.size())}}, Caller::nobody()};
        return host->call(request);
    }
    testing::TestAnswer send(const testing::TestAnswer& ticket, const std::string& type, const std::string& bytes) const
    {
        return sendTo(targetOf(ticket.at("/uploadUrl")), type, bytes);
    }
    testing::TestAnswer uploaded(const std::string& type, const std::string& bytes) const
    {
        const auto ticket = begin(type, bytes.size());
        CPPUNIT_ASSERT_EQUAL(200, send(ticket, type, bytes).status);
        return made(post(member, ticket.at("/completeUrl")));
    }
    std::string serve(const testing::TestAnswer& media) const
    {
        auto answer = host->call(Method::Get, targetOf(media.at("/url")));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        CPPUNIT_ASSERT_EQUAL(media.at("/contentType"), answer.contentType);
        return testing::TestHost::bodyOf(answer);
    }

    std::string brand;
};

CPPUNIT_TEST_SUITE_REGISTRATION(MediaTest);

} // namespace portico::tests
