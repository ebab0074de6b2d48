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
class MediaTest : public Suite<MediaTest, SocialFixture>
{
    void setUp() override
    {
        settings.config = {{"social.media.dailyMebibytes", "1"}};
        SocialFixture::setUp();
        brand = newBrand(admin);
    }

    TEST(takesAFileInThreeSteps)
    {
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        equal("PUT", ticket.at("/method"));
        equal("image/png", ticket.at("/headers/Content-Type"));
        equal(std::to_string(bytes.size()), ticket.at("/headers/Content-Length"));
        equal("2026-11-23T08:15:00.000Z", ticket.at("/expiresAt"));
        equal("20971520", ticket.at("/maxBytes"));
        const auto id = ticket.at("/mediaId");
        equal("/api/media/" + id + "/complete?brandId=" + brand, ticket.at("/completeUrl"));
        equal("pending_upload", get(member, "/api/media/" + id).at("/status"));
        equal("null", get(member, "/api/media/" + id).at("/url"));
        refused(post(member, ticket.at("/completeUrl")), 409, "not_uploaded");
        equal(200, send(ticket, "image/png", bytes).status);
        const auto media = made(post(member, ticket.at("/completeUrl")));
        equal("ready", media.at("/status"));
        equal("30", media.at("/width"));
        equal("20", media.at("/height"));
        equal("image", media.at("/kind"));
        equal("0", media.at("/usedBy"));
        const auto served = serve(media);
        equal(std::to_string(served.size()), media.at("/size"));
        equal(sha256(served).hex(), media.at("/sha256"));
        for (const auto* hidden : {"blob", "originalKey", "publishKey", "uploadId"}) equal(std::string::npos, media.body.find(hidden));
        // A second time nothing happens.
        equal(media.at("/version"), made(post(member, ticket.at("/completeUrl"))).at("/version"));
        equal(1, get(admin, "/api/content-ops/events?kind=media.uploaded").count("/items"));
    }

    TEST(servesNoMetadata)
    {
        const std::map<std::string, std::string> files = {{"image/jpeg", samples::jpeg(6)}, {"image/png", samples::png(6)},
                                                          {"image/webp", samples::webp(6)}, {"image/gif", samples::gif()},
                                                          {"image/avif", samples::avif()},  {"video/mp4", samples::mp4()},
                                                          {"video/webm", samples::webm()}};
        for (const auto& [type, bytes] : files)
        {
            CPPUNIT_ASSERT_MESSAGE(type, bytes.find(samples::secret) != std::string::npos);
            const auto media = uploaded(type, bytes);
            equal("ready", media.at("/status"), type + media.body);
            const auto served = serve(media);
            equal(std::string::npos, served.find(samples::secret), type);
            equal(type, std::string(sniffMediaType(served.substr(0, 64))->contentType), type);
        }
        const auto video = uploaded("video/mp4", samples::mp4());
        equal("640", video.at("/width"));
        equal("360", video.at("/height"));
        equal("2000", video.at("/durationMs"));
        // The uploaded bytes were deleted.
        auto session = host->context().database().session();
        for (const auto& row : session.query("SELECT original_key FROM media")) CHECK(!host->context().blobs().open(row.text(0)));
    }

    TEST(turnsSizesByOrientation)
    {
        for (const auto& [type, make] : std::map<std::string, std::string (*)(int)>{
                 {"image/jpeg", samples::jpeg}, {"image/png", samples::png}, {"image/webp", samples::webp}})
            for (int orientation = 1; orientation <= 8; ++orientation)
            {
                const auto cleaned = cleanImage(type, make(orientation));
                equal(std::int64_t{orientation < 5 ? 30 : 20}, cleaned.width, type);
                equal(std::int64_t{orientation < 5 ? 20 : 30}, cleaned.height, type);
                // Cleaning is idempotent: the same bytes, with the orientation.
                const auto again = cleanImage(type, cleaned.bytes);
                equal(cleaned.bytes, again.bytes, type);
                equal(cleaned.width, again.width, type);
            }
        equal(1, imagebytes::orientationOf(samples::exif(9)));
        equal(1, imagebytes::orientationOf("MM"));
        equal(7, imagebytes::orientationOf(imagebytes::orientationBlock(7)));
    }

    TEST(survivesEveryCut)
    {
        const std::map<std::string, std::string> files = {{"image/jpeg", samples::jpeg(6)},
                                                          {"image/png", samples::png(6)},
                                                          {"image/webp", samples::webp(6)},
                                                          {"image/gif", samples::gif()}};
        for (const auto& [type, bytes] : files)
            for (std::size_t length = 0; length < bytes.size(); ++length) try
                {
                    cleanImage(type, bytes.substr(0, length));
                    // A truncated file is only accepted if just the trailing data is missing.
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

    TEST(cutsOfWebmEnd)
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
        equal(2, webmMetadata(whole, bytes.size()).size());
        equal(std::string("\xec\x10\x00\x00\x0a", 5).size(), webmMetadata(whole, bytes.size()).front().start.size());
    }

    TEST(refusesPixelBombs)
    {
        auto bytes = samples::png(1);
        bytes.replace(16, 8, samples::big(0x7fffffff, 4) + samples::big(0x7fffffff, 4));
        equal("too_many_pixels", uploaded("image/png", bytes).at("/rejectReason"));
        auto empty = samples::png(1);
        empty.replace(16, 4, samples::big(0, 4));
        equal("malformed", uploaded("image/png", empty).at("/rejectReason"));
    }

    TEST(refusesTamperedTickets)
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
            refused(sendTo(altered, "image/png", bytes), 403, "invalid_signature");
        refused(sendTo(target, "image/gif", bytes), 403, "invalid_signature");
        refused(sendTo(target, "image/png", bytes + "x"), 413, "payload_too_large");
        refused(sendTo(target, "image/png", bytes.substr(1)), 400, "validation_failed");
        testing::TestRequest chunked{Method::Put, target, bytes, {{"Content-Type", "image/png"}}, Caller::nobody()};
        refused(host->call(chunked), 411, "length_required");
        equal(200, sendTo(target, "image/png", bytes).status);
        refused(sendTo(target, "image/png", bytes), 409, "conflict");
        const auto late = begin("image/png", bytes.size());
        advance(std::chrono::minutes(15) + std::chrono::seconds(1));
        refused(send(late, "image/png", bytes), 410, "upload_expired");
    }

    TEST(refusesTamperedAddresses)
    {
        const auto media = uploaded("image/png", samples::png(1));
        const auto target = targetOf(media.at("/url"));
        const auto call = [this](const std::string& address) { return host->call(Method::Get, address); };
        equal(200, call(target).status);
        const auto other = uploaded("image/png", samples::png(2)).at("/mediaId");
        auto moved = target;
        moved.replace(moved.find("med_"), other.size(), other);
        auto variant = target;
        variant.replace(variant.find("/publish"), 8, "/thumbnail");
        auto later = target;
        later.replace(later.find("exp=") + 4, 1, "9");
        for (const auto& altered : {moved, variant, later, target + "x"}) refused(call(altered), 403, "invalid_signature");
        refused(call(target.substr(0, target.find('?'))), 403, "invalid_signature");
        advance(std::chrono::hours(24));
        equal(200, call(target).status);
        advance(std::chrono::seconds(1));
        refused(call(target), 410, "link_expired");
    }

    TEST(refusesWhatDoesNotFit)
    {
        const auto refuse = [this](const std::string& type, std::int64_t size, int status, const std::string& code)
        { refused(post(member, "/api/media/upload", bodyOf(type, size)), status, code); };
        refuse("image/svg+xml", 100, 415, "unsupported_media_type");
        refuse("text/html", 100, 415, "unsupported_media_type");
        refuse("image/png", 0, 400, "validation_failed");
        refuse("image/png", (20 << 20) + 1, 413, "payload_too_large");
        refuse("image/gif", (15 << 20) + 1, 413, "payload_too_large");
        refuse("application/pdf", (25 << 20) + 1, 413, "payload_too_large");
        refuse("video/mp4", (std::int64_t{512} << 20) + 1, 413, "payload_too_large");
        refused(post(stranger, "/api/media/upload", bodyOf("image/png", 10)), 404, "not_found");
        equal(0, get(member, "/api/media").count("/items"));
    }

    TEST(rejectsOtherTypes)
    {
        for (const auto& bytes :
             {samples::gif(), std::string("<svg xmlns='http://www.w3.org/2000/svg'/>"), std::string("<html>"), std::string(1, 'x')})
        {
            const auto ticket = begin("image/png", bytes.size());
            equal(200, send(ticket, "image/png", bytes).status);
            refused(post(member, ticket.at("/completeUrl")), 415, "unsupported_media_type");
            const auto media = get(member, "/api/media/" + ticket.at("/mediaId"));
            equal("rejected", media.at("/status"));
            equal("type_mismatch", media.at("/rejectReason"));
            equal("null", media.at("/url"));
        }
        equal(4, get(admin, "/api/content-ops/events?kind=media.rejected").count("/items"));
    }

    TEST(rejectsBrokenFiles)
    {
        const auto cut = samples::jpeg(1).substr(0, 60);
        equal("truncated", uploaded("image/jpeg", cut).at("/rejectReason"));
        const auto video = samples::mp4();
        equal("truncated", uploaded("video/mp4", video.substr(0, video.size() - 3)).at("/rejectReason"));
        equal("truncated", uploaded("video/mp4", video.substr(0, 24)).at("/rejectReason"));
    }

    TEST(checksTheDigest)
    {
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        send(ticket, "image/png", bytes);
        const auto media = made(post(member, ticket.at("/completeUrl"), jsonWith(R"({"sha256":"$"})", std::string(64, '0'))));
        equal("checksum_mismatch", media.at("/rejectReason"));
        const auto second = begin("image/png", bytes.size());
        send(second, "image/png", bytes);
        equal("ready", made(post(member, second.at("/completeUrl"), jsonWith(R"({"sha256":"$"})", sha256(bytes).hex()))).at("/status"));
    }

    TEST(uploadsToTheStore)
    {
        auto& blobs = host->context().blobs();
        blobs.offerUrls();
        const auto bytes = samples::png(1);
        const auto ticket = begin("image/png", bytes.size());
        const auto key = storeKeyOf(ticket);
        CHECK(ticket.at("/uploadUrl").ends_with("?lifetime=900&type=image/png"));
        refused(post(member, ticket.at("/completeUrl")), 409, "not_uploaded");
        blobs.upload(key, bytes);
        equal("ready", made(post(member, ticket.at("/completeUrl"))).at("/status"));
        CHECK(!blobs.open(key));
        // The URL works again until it expires: the sweep removes what came afterwards, also of a file that was deleted.
        const auto second = begin("image/png", bytes.size());
        equal(204, del(member, "/api/media/" + second.at("/mediaId")).status);
        equal(2, removalsAfter(std::chrono::minutes(0)));
        equal(2, removalsAfter(std::chrono::minutes(14)));
        blobs.upload(storeKeyOf(second), bytes);
        equal(0, removalsAfter(std::chrono::hours(1)));
        CHECK(!blobs.open(storeKeyOf(second)));
    }

    TEST(checksWhatTheStoreReceived)
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
        equal("checksum_mismatch", made(complete(bytes, jsonWith(R"({"sha256":"$"})", std::string(64, '0')))).at("/rejectReason"));
        equal("ready", made(complete(bytes, jsonWith(R"({"sha256":"$"})", sha256(bytes).hex()))).at("/status"));
        refused(complete("<html>", "{}"), 415, "unsupported_media_type");
        // A store that ignores the length of the ticket.
        const auto ticket = begin("image/png", bytes.size() + 1);
        const auto other = blobs.store(brand, bytes);
        change("UPDATE media SET original_key = '" + other + "' WHERE id = '" + ticket.at("/mediaId") + "'");
        equal("size_differs", made(post(member, ticket.at("/completeUrl"))).at("/rejectReason"));
    }

    TEST(servesFromTheStore)
    {
        const auto media = uploaded("image/png", samples::png(1));
        host->context().blobs().offerUrls();
        const auto answer = host->call(Method::Get, targetOf(media.at("/url")));
        equal(302, answer.status);
        const auto headers = answer.headerBlock();
        const auto at = headers.find("Location: ") + 10;
        const auto location = headers.substr(at, headers.find("\r\n", at) - at);
        CHECK(location.starts_with("https://blobs.example/"));
        CHECK(location.ends_with("?lifetime=60&type=image/png"));
        equal("private, no-store", answer.cacheControl);
        refused(host->call(Method::Get, targetOf(media.at("/url")) + "x"), 403, "invalid_signature");
    }

    TEST(keepsTheLimitOfADay)
    {
        made(post(member, "/api/media/upload", bodyOf("image/png", 700'000)));
        refused(post(member, "/api/media/upload", bodyOf("image/png", 400'000)), 413, "payload_too_large");
        advance(std::chrono::hours(24) + std::chrono::seconds(1));
        made(post(member, "/api/media/upload", bodyOf("image/png", 400'000)));
    }

    TEST(listsAndDescribes)
    {
        const auto id = uploaded("image/png", samples::png(1)).at("/mediaId");
        advance(std::chrono::seconds(1));
        uploaded("image/gif", samples::gif());
        const auto list = get(member, "/api/media");
        equal(2, list.count("/items"));
        equal("gif", list.at("/items/0/kind"));
        equal(1, get(member, "/api/media?kind=image&status=ready&q=FILE").count("/items"));
        equal(0, get(member, "/api/media?status=rejected").count("/items"));
        const auto described = made(patch(member, "/api/media/" + id, R"({"altText":" A cat on a wall ","fileName":"ignored.png"})"));
        equal("A cat on a wall", described.at("/altText"));
        equal("file.bin", described.at("/fileName"));
        refused(patch(member, "/api/media/" + id, jsonWith(R"({"altText":"$"})", std::string(1501, 'x'))), 400, "validation_failed");
        const auto theirs = newBrand(stranger);
        refused(inBrand(theirs, Method::Get, "/api/media/" + id, stranger), 404, "not_found");
    }

    TEST(deletes)
    {
        const auto media = uploaded("image/png", samples::png(1));
        const auto id = media.at("/mediaId"), target = targetOf(media.at("/url"));
        testing::TestRequest stale{Method::Delete, "/api/media/" + id, {}, {{"If-Match", "\"9\""}}, member};
        refused(host->call(stale), 412, "version_conflict");
        equal(204, del(member, "/api/media/" + id).status);
        refused(get(member, "/api/media/" + id), 404, "not_found");
        refused(host->call(Method::Get, target), 404, "not_found");
        equal(0, host->context().blobs().usedBytes(brand));
        equal(0, *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM media_removal"));
    }

    TEST(forgetsWhatWasNeverSent)
    {
        const auto bytes = samples::png(1);
        begin("image/png", bytes.size());
        send(begin("image/png", bytes.size()), "image/png", bytes);
        uploaded("image/png", bytes);
        advance(std::chrono::hours(24));
        while (host->context().jobs().runDue() > 0) {}
        equal(1, get(member, "/api/media").count("/items"));
        CHECK(host->context().jobs().failures().empty());
    }

    TEST(movesWithTheBrand)
    {
        const auto media = uploaded("image/png", samples::png(1));
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        const auto moved = made(
            post(admin, "/api/brands/" + brand + "/transfer-organization", jsonWith(R"({"organizationId":"$"})", stranger.organizationId)));
        equal("1", moved.at("/kept/media"));
        equal(serve(media), serve(get(stranger, "/api/media/" + media.at("/mediaId"))));
    }

    TEST(showsTheAvatarOfABrand)
    {
        const auto id = uploaded("image/png", samples::png(1)).at("/mediaId");
        const auto pdf = uploaded("application/pdf", "%PDF-1.7\n").at("/mediaId");
        const auto target = "/api/brands/" + brand;
        refused(patch(admin, target, jsonWith(R"({"avatarMediaId":"$"})", pdf)), 400, "validation_failed");
        equal(id, made(patch(admin, target, jsonWith(R"({"avatarMediaId":"$"})", id))).at("/avatarMediaId"));
        refused(del(member, "/api/media/" + id), 409, "media_in_use");
        made(patch(admin, target, R"({"avatarMediaId":null})"));
        equal(204, del(member, "/api/media/" + id).status);
    }

    static std::string storeKeyOf(const testing::TestAnswer& ticket)
    {
        const auto url = ticket.at("/uploadUrl");
        CHECK(url.starts_with("https://blobs.example/"));
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
        return jsonWith(R"({"fileName":"file.bin","contentType":"$","size":$,"brandId":"$"})", type, size, brand);
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
        equal(200, send(ticket, type, bytes).status);
        return made(post(member, ticket.at("/completeUrl")));
    }
    std::string serve(const testing::TestAnswer& media) const
    {
        auto answer = host->call(Method::Get, targetOf(media.at("/url")));
        equal(200, answer.status, answer.body);
        equal(media.at("/contentType"), answer.contentType);
        return testing::TestHost::bodyOf(answer);
    }

    std::string brand;
};

} // namespace portico::tests
