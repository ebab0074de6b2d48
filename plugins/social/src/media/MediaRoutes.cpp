#include "media/MediaRoutes.h"

#include "common/ChangeNews.h"
#include "common/SearchText.h"
#include "media/MediaTypes.h"

#include <algorithm>
#include <chrono>

namespace portico::social
{

namespace
{
constexpr std::string_view publishVariant = "publish", thumbnailVariant = "thumbnail";

std::int64_t secondsOf(Instant instant) { return std::chrono::duration_cast<std::chrono::seconds>(instant.time_since_epoch()).count(); }
} // namespace

bool isSha256(std::string_view text)
{
    return text.size() == 64 && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

void MediaRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> brandProblems = {"400 brand_required", "400 brand_mismatch"};
    const auto read = access::bearer("media:read"), write = access::bearer("media:write");
    routes.get("/api/media", read, &MediaRoutes::list, this, {.summary = "List the files of a brand", .problems = brandProblems})
        .post("/api/media/upload", write, &MediaRoutes::upload, this,
              {.summary = "Create a signed URL for the upload of a new file",
               .problems = {"400 brand_required", "400 brand_mismatch", "413 payload_too_large", "415 unsupported_media_type"}})
        .put("/api/media/blob/{uploadId}", access::open(), &MediaRoutes::receive, this,
             {.summary = "Upload the bytes of a file to its signed URL",
              .bodyLimit = static_cast<std::uint64_t>(largestFile(MediaKind::Video)),
              .execution = Execution::Long,
              .problems = {"403 invalid_signature", "409 conflict", "410 upload_expired", "411 length_required", "413 payload_too_large"}})
        .beforeBody(&MediaRoutes::checkUpload, this)
        .post("/api/media/{mediaId}/complete", write, &MediaRoutes::complete, this,
              {.summary = "Check the uploaded bytes and make the file ready",
               .execution = Execution::Long,
               .problems = {"409 not_uploaded", "415 unsupported_media_type"}})
        .get("/api/media/{mediaId}", read, &MediaRoutes::show, this, {.summary = "Read a file", .problems = brandProblems})
        .patch("/api/media/{mediaId}", write, &MediaRoutes::change, this,
               {.summary = "Change the alternative text of a file",
                .problems = {"400 brand_required", "400 brand_mismatch", "409 media_in_use"}})
        .del("/api/media/{mediaId}", write, &MediaRoutes::remove, this, {.summary = "Delete a file", .problems = {"409 media_in_use"}})
        .get("/media/{mediaId}/{variant}", access::open(), &MediaRoutes::file, this,
             {.summary = "Read the bytes of a file at its signed URL",
              .cacheControl = "private, max-age=86400",
              .problems = {"403 invalid_signature", "410 link_expired"},
              .produces = {"image/*", "video/*", "application/pdf"}});
}

BrandId MediaRoutes::brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                             const std::optional<std::string>& body) const
{
    auto session = _context.database().session();
    return requireBrand(session, caller, header, query, body);
}

Media MediaRoutes::shown(Session& session, Media media, Tenant tenant) const
{
    media.usedBy = _service.usedBy(session, media, tenant);
    if (media.status == MediaStatus::Ready) media.url = _links.publicUrl(media.mediaId, publishVariant, _context.clock().now());
    if (!media.thumbnailKey.empty()) media.thumbnailUrl = _links.publicUrl(media.mediaId, thumbnailVariant, _context.clock().now());
    return media;
}

Page<Media> MediaRoutes::list(const Caller& caller, const BrandHeader& brand, const Query<MediaFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    auto found = mediaTable.select(tenant);
    found.where(&Media::brandId, requireBrand(session, caller, brand, filter->brandId));
    if (!filter->kind.empty()) found.whereIn(&Media::kind, filter->kind);
    if (!filter->status.empty()) found.whereIn(&Media::status, filter->status);
    for (const auto& pattern : likePatterns(filter->q)) found.where("file_name_folded LIKE ? ESCAPE '\\'", pattern);
    if (filter->sort == MediaSort::FileName)
        found.orderBy(&Media::fileNameFolded);
    else if (filter->sort == MediaSort::CreatedAt)
        found.orderBy(&Media::createdAt);
    else
        found.orderBy(descending(&Media::createdAt), descending(&Media::mediaId));
    auto page = found.page(session, paging);
    for (auto& media : page.items) media = shown(session, std::move(media), tenant);
    return page;
}

UploadTicket MediaRoutes::upload(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                 const Body<UploadBody>& body) const
{
    const auto& caller = *request.caller;
    const auto brandId = brandOf(caller, brand, choice->brandId, body->brandId);
    const auto [media, storeUrl] = _service.begin(Doer::of(request), caller.tenant(), brandId,
                                                  {body->fileName, body->contentType, body->size, body->sha256, body->altText});
    UploadTicket ticket;
    ticket.mediaId = media.mediaId;
    ticket.expiresAt = *media.uploadExpiresAt;
    ticket.uploadUrl =
        storeUrl ? *storeUrl : _links.uploadUrl({media.uploadId, secondsOf(ticket.expiresAt), media.size, media.contentType});
    ticket.headers = {media.contentType, std::to_string(media.size)};
    ticket.maxBytes = largestFile(media.kind);
    ticket.completeUrl = "/api/media/" + media.mediaId.text() + "/complete?brandId=" + brandId.text();
    return ticket;
}

void MediaRoutes::checkUpload(const Path<std::string>& uploadId, const Query<UploadProof>& proof, const UploadLength& length,
                              const UploadType& contentType) const
{
    if (!_links.isSigned({*uploadId, proof->exp, proof->len, proof->ct}, proof->sig))
        throw Problem::forbidden("invalid_signature", "The address was altered.");
    if (proof->exp < secondsOf(_context.clock().now()))
        throw Problem::gone("upload_expired", "The upload URL has expired. Start a new upload.");
    if (!*length) throw Problem(411, "length_required", "Send the length of the file.");
    if (**length > proof->len) throw Problem::tooLarge("The file is larger than declared.");
    if (**length < proof->len) throw Problem::invalid("", "size_differs", "The file is smaller than declared");
    const auto* type = findMediaType(contentType->value_or(""));
    if (type == nullptr || type->contentType != proof->ct)
        throw Problem::forbidden("invalid_signature", "The address was signed for another Content-Type.");
    _service.requireUpload(*uploadId);
}

UploadReceipt MediaRoutes::receive(const Path<std::string>& uploadId, const Query<UploadProof>& proof, const Upload& upload) const
{
    _service.receive(*uploadId, upload.file());
    return {*uploadId, proof->len};
}

Media MediaRoutes::complete(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id,
                            const Body<CompleteBody>& body) const
{
    const auto& caller = *request.caller;
    auto media = _service.complete(Doer::of(request), caller.tenant(), brandOf(caller, brand, choice->brandId), *id, body->sha256);
    auto session = _context.database().session();
    return shown(session, std::move(media), caller.tenant());
}

Media MediaRoutes::show(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id) const
{
    auto session = _context.database().session();
    const auto brandId = requireBrand(session, caller, brand, choice->brandId);
    return shown(session, mediaTable.require(session, caller.tenant(), brandId, *id), caller.tenant());
}

Media MediaRoutes::change(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id,
                          const Body<Patch<Media>>& patch, const IfMatch& ifMatch) const
{
    const auto& caller = *request.caller;
    const auto brandId = brandOf(caller, brand, choice->brandId);
    Media media = _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, caller.tenant(), brandId);
            tellMedia(_context, transaction, caller.tenant(), brandId, *id);
            return _service.change(transaction, Doer::of(request), caller.tenant(), brandId, *id, ifMatch, *patch);
        });
    auto session = _context.database().session();
    return shown(session, std::move(media), caller.tenant());
}

NoContent MediaRoutes::remove(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id,
                              const IfMatch& ifMatch) const
{
    const auto& caller = *request.caller;
    _service.remove(Doer::of(request), caller.tenant(), brandOf(caller, brand, choice->brandId), *id, ifMatch);
    return {};
}

std::optional<MediaRoutes::Served> MediaRoutes::servedAs(const MediaId& id, std::string_view variant) const
{
    auto session = _context.database().session();
    if (variant != publishVariant && variant != thumbnailVariant)
    {
        auto copies =
            session.query("SELECT blob_key, content_type, sha256 FROM media_copy WHERE media_id = $1 AND variant = $2", id, variant);
        const auto copy = copies.next();
        return copy ? std::optional(Served{copy->get<std::string>(0), copy->get<std::string>(1), copy->get<std::string>(2)}) : std::nullopt;
    }
    const auto media = session.one<Media>("SELECT " + columns<Media>() + " FROM media WHERE id = $1 AND status = 'ready'", id);
    if (!media) return std::nullopt;
    // A file has one thumbnail at most, and it never changes.
    if (variant == thumbnailVariant) return Served{media->thumbnailKey, media->thumbnailType, "thumbnail-" + id.text()};
    return Served{media->publishKey, media->contentType, media->sha256.value_or(id.text())};
}

Response MediaRoutes::file(const Request& request, const Path<MediaId>& id, const Path<std::string>& variant,
                           const Query<LinkProof>& proof) const
{
    if (!_links.isSigned(*id, *variant, proof->exp, proof->sig)) throw Problem::forbidden("invalid_signature", "The address was altered.");
    if (proof->exp < secondsOf(_context.clock().now())) throw Problem::gone("link_expired", "The address has expired.");
    const auto served = servedAs(*id, *variant);
    Response response;
    if (!served) throw Problem::notFound("There is no such file.");
    response.contentType = served->contentType;
    response.etag = '"' + served->tag + '"';
    if (!sendBlob(_context.blobs(), served->blobKey, request, response)) throw Problem::notFound("There is no such file.");
    // Prevents the bytes from running as a document on this origin.
    response.addHeader("Content-Security-Policy", "default-src 'none'; sandbox");
    response.addHeader("Cross-Origin-Resource-Policy", "cross-origin");
    return response;
}

} // namespace portico::social
