#include "media/MediaService.h"

#include "brands/Brand.h"
#include "common/ChangeNews.h"
#include "media/Boxes.h"
#include "media/FileBytes.h"
#include "media/ImageCleaner.h"
#include "media/MediaCopies.h"
#include "media/MediaTypes.h"
#include "media/Webm.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace portico::social
{

namespace
{
constexpr std::string_view sweepJob = "social.media.remove_forgotten";
constexpr auto pendingLife = std::chrono::hours(24);
constexpr auto uploadDay = std::chrono::hours(24);
constexpr std::int64_t sweepBatch = 100;
constexpr std::size_t copyPiece = 256 << 10;
constexpr std::int64_t mediaMebibyte = 1 << 20;

/// Writes a file piece by piece, with some parts written over. The parts are in the order of the file.
void copyBlanked(const FileBody& file, std::vector<BlankedPart> parts, Blobs::Writer& writer)
{
    std::ranges::sort(parts, {}, &BlankedPart::at);
    for (std::uint64_t at = 0; at < file.size; at += copyPiece)
    {
        auto piece = readAt(file, at, copyPiece);
        for (const auto& [start, length, text] : parts)
        {
            const auto from = std::max(start, at), to = std::min(start + length, at + piece.size());
            for (auto place = from; place < to; ++place) piece[place - at] = place - start < text.size() ? text[place - start] : '\0';
        }
        writer.write(piece);
    }
}

/// Serializes checks and deletions of a file.
void withMedia(PluginContext& context, const MediaId& id, const std::function<void()>& work)
{
    context.state().withLock("media:" + id.text(), std::chrono::minutes(2), work);
}

/// Keys of all blobs of a file, in the transaction that deletes it.
std::vector<std::string> blobsOf(Transaction& transaction, Tenant tenant, const Media& media)
{
    std::vector<std::string> keys;
    for (const auto& key : {media.originalKey, media.publishKey, media.thumbnailKey})
        if (!key.empty()) keys.push_back(key);
    for (const auto& row :
         transaction.query("SELECT blob_key FROM media_copy WHERE organization_id = $1 AND brand_id = $2 AND media_id = $3 "
                           "AND blob_key <> ''",
                           tenant, media.brandId, media.mediaId))
        keys.push_back(row.get<std::string>(0));
    return keys;
}

Problem uploadCompleted() { return Problem::conflict("conflict", "The upload was already completed."); }
Problem notUploaded() { return Problem::conflict("not_uploaded", "The file has not been uploaded yet."); }

/// Lets the sweep remove a blob that its client can still upload until the ticket ends.
void removeAfterTicket(Transaction& transaction, const Media& media)
{
    transaction.execute("INSERT INTO media_removal (blob_key, due_at) VALUES ($1, $2) ON CONFLICT (blob_key) DO UPDATE SET due_at = "
                        "excluded.due_at",
                        media.originalKey, *media.uploadExpiresAt);
}

Problem wrongType()
{
    return Problem(415, "unsupported_media_type", "The type of the file differs from the declared one or is not supported.");
}
} // namespace

/// Result of a check of the bytes.
struct MediaService::Looked
{
    std::optional<std::string> rejectReason;
    std::optional<std::int64_t> width, height, durationMs;
    std::string publishKey;
    std::int64_t size = 0;
    std::string sha256;
    bool isWrongType = false;
};

void MediaService::start()
{
    _context.jobs().handle(sweepJob, [this](const Job& job) { removeForgotten(job.stop); });
    _context.jobs().every(sweepJob, std::chrono::hours(1));
}

void MediaService::requireRoom(Transaction& transaction, Tenant tenant, const BrandId& brand, std::int64_t size) const
{
    // Concurrent uploads of one brand are serialized. Those of other brands may exceed the organization's quota by one file each.
    audit::lock(transaction, tenant, brand);
    const auto day = transaction.value<std::int64_t>("SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM media WHERE organization_id = $1 "
                                                     "AND brand_id = $2 AND created_at > $3 AND status "
                                                     "<> 'rejected'",
                                                     tenant, brand, _context.clock().now() - uploadDay);
    const auto perDay = _context.config().integer("social.media.dailyMebibytes") * mediaMebibyte;
    if (*day + size > perDay) throw Problem::tooLarge("The brand has reached its upload limit for today.");
    const auto quota = _context.config().integer("social.media.quotaMebibytes") * mediaMebibyte;
    if (quota == 0) return;
    const auto used = transaction.value<std::int64_t>(
        "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM media WHERE organization_id = $1 AND status <> 'rejected'", tenant);
    if (*used + size > quota) throw Problem::tooLarge("The organization has reached its storage limit. Delete other files first.");
}

BegunUpload MediaService::begin(const Doer& doer, Tenant tenant, const BrandId& brand, const NewUpload& upload) const
{
    const auto* type = findMediaType(upload.contentType);
    if (type == nullptr) throw wrongType();
    if (upload.size > largestFile(type->kind))
        throw Problem::tooLarge("A file of this kind has at most " + std::to_string(largestFile(type->kind)) + " bytes.");
    const Stamp stamp{_context.clock().now(), doer.actor.id};
    const auto atStore = _context.blobs().uploadUrl(brand.text(), static_cast<std::uint64_t>(upload.size), type->contentType, ticketLife);
    auto begun = _context.database().transact(
        [&](Transaction& transaction)
        {
            requireRoom(transaction, tenant, brand, upload.size);
            Media media;
            if (atStore) media.originalKey = atStore->key;
            media.brandId = brand;
            media.kind = type->kind;
            media.fileName = upload.fileName;
            media.fileNameFolded = fold(upload.fileName);
            media.contentType = type->contentType;
            media.size = upload.size;
            media.sha256 = upload.sha256;
            media.altText = upload.altText;
            media.uploadId = UploadId::make(stamp.now).text();
            media.uploadExpiresAt = stamp.now + ticketLife;
            const auto made = mediaTable.create(transaction, tenant, std::move(media), stamp);
            tellMedia(_context, transaction, tenant, brand, made.mediaId);
            return made;
        });
    return {std::move(begun), atStore ? std::optional(atStore->url) : std::nullopt};
}

BrandId MediaService::requireUpload(const std::string& uploadId) const
{
    auto session = _context.database().session();
    const auto media = session.one<Media>("SELECT " + columns<Media>() + " FROM media WHERE upload_id = $1", uploadId);
    if (!media) throw Problem::gone("upload_expired", "The upload has expired. Start a new one.");
    if (media->status != MediaStatus::PendingUpload || !media->originalKey.empty()) throw uploadCompleted();
    return media->brandId;
}

void MediaService::receive(const std::string& uploadId, const ReceivedFile& file) const
{
    const auto writer = _context.blobs().create(requireUpload(uploadId).text());
    // The key is in a row before the file exists (decision 8).
    const auto taken = _context.database().transact(
        [&](Transaction& transaction)
        {
            return transaction.execute("UPDATE media SET original_key = $2 WHERE upload_id = $1 AND original_key = '' AND status = "
                                       "'pending_upload'",
                                       uploadId, writer->key());
        });
    if (taken == 0) throw uploadCompleted();
    writer->write(file);
    const auto stored = writer->commit();
    _context.database().transact(
        [&](Transaction& transaction)
        { transaction.execute("UPDATE media SET uploaded = TRUE, original_sha256 = $2 WHERE upload_id = $1", uploadId, stored.sha256); });
}

MediaService::Looked MediaService::look(const Media& media, const std::optional<std::string>& sha256, const std::string& scope) const
{
    Looked looked;
    const auto file = _context.blobs().open(media.originalKey);
    if (!file) throw notUploaded();
    const auto* type = sniffMediaType(readAt(*file, 0, 64));
    if (type == nullptr || type->contentType != media.contentType)
    {
        looked.isWrongType = true;
        looked.rejectReason = "type_mismatch";
        return looked;
    }
    const auto expected = sha256 ? sha256 : media.sha256;
    // Bytes that did not pass this service were checked by the store at most.
    const auto received = !expected ? std::string() : media.uploaded ? media.originalSha256 : sha256Of(*file);
    std::unique_ptr<Blobs::Writer> writer;
    try
    {
        if (static_cast<std::int64_t>(file->size) != media.size) throw MediaFault("size_differs");
        if (expected && received != *expected) throw MediaFault("checksum_mismatch");
        const ReadBytes read = [&file](std::uint64_t at, std::size_t length) { return readAt(*file, at, length); };
        if (type->kind == MediaKind::Document || type->contentType == "video/webm")
        {
            const auto blanked = type->kind == MediaKind::Document ? std::vector<BlankedPart>() : webmMetadata(read, file->size);
            writer = _context.blobs().create(scope);
            copyBlanked(*file, blanked, *writer);
        }
        else if (type->kind == MediaKind::Video || type->contentType == "image/avif")
        {
            const auto facts = readBoxes(read, file->size, type->kind != MediaKind::Video);
            looked.width = facts.width;
            looked.height = facts.height;
            looked.durationMs = type->kind == MediaKind::Video ? facts.durationMs : std::nullopt;
            writer = _context.blobs().create(scope);
            copyBlanked(*file, facts.blanked, *writer);
        }
        else
        {
            const auto bytes = readAt(*file, 0, file->size);
            const auto cleaned = cleanImage(type->contentType, bytes);
            looked.width = cleaned.width;
            looked.height = cleaned.height;
            writer = _context.blobs().create(scope);
            writer->write(cleaned.bytes);
        }
    }
    catch (const MediaFault& fault)
    {
        looked.rejectReason = fault.code();
        return looked;
    }
    // An earlier look that was cut off may have left its blob.
    if (!media.publishKey.empty()) _context.blobs().remove(media.publishKey);
    looked.publishKey = writer->key();
    _context.database().transact(
        [&](Transaction& transaction)
        { transaction.execute("UPDATE media SET publish_key = $2 WHERE upload_id = $1", media.uploadId, looked.publishKey); });
    const auto stored = writer->commit();
    looked.size = static_cast<std::int64_t>(stored.size);
    looked.sha256 = stored.sha256;
    return looked;
}

Media MediaService::complete(const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id,
                             const std::optional<std::string>& sha256) const
{
    Media completed;
    Looked looked;
    withMedia(_context, id,
              [&]
              {
                  {
                      auto session = _context.database().session();
                      completed = mediaTable.require(session, tenant, brand, id);
                  }
                  if (completed.status == MediaStatus::Ready || completed.status == MediaStatus::Rejected) return;
                  if (completed.originalKey.empty()) throw notUploaded();
                  looked = look(completed, sha256, brand.text());
                  completed = finish(doer, tenant, completed, looked);
              });
    if (looked.isWrongType) throw wrongType();
    return completed;
}

Media MediaService::finish(const Doer& doer, Tenant tenant, const Media& media, const Looked& looked) const
{
    const auto now = _context.clock().now();
    const auto finished = _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, media.brandId);
            Media row = mediaTable.change(transaction, tenant, media.brandId, media.mediaId, IfMatch(""), {now},
                                          [&](Media& changed)
                                          {
                                              changed.status = looked.rejectReason ? MediaStatus::Rejected : MediaStatus::Ready;
                                              changed.rejectReason = looked.rejectReason;
                                              changed.width = looked.width;
                                              changed.height = looked.height;
                                              changed.durationMs = looked.durationMs;
                                              changed.publishKey = looked.publishKey;
                                              if (looked.rejectReason) return;
                                              changed.size = looked.size;
                                              changed.sha256 = looked.sha256;
                                          });
            audit::record(transaction, tenant, doer,
                          {.kind = looked.rejectReason ? AuditKind::MediaRejected : AuditKind::MediaUploaded,
                           .brandId = media.brandId,
                           .mediaId = media.mediaId,
                           .reason = looked.rejectReason},
                          now);
            if (!media.uploaded) removeAfterTicket(transaction, media);
            if (!looked.rejectReason) MediaCopies::orderThumbnail(_context, transaction, row);
            tellMedia(_context, transaction, tenant, media.brandId, media.mediaId);
            return row;
        });
    // The uploaded bytes are never served.
    _context.blobs().remove(media.originalKey);
    return finished;
}

Media MediaService::add(const Doer& doer, Tenant tenant, const BrandId& brand, const NewPicture& picture, NewEvent event) const
{
    CleanedImage cleaned;
    try
    {
        cleaned = cleanImage(picture.contentType, picture.bytes);
    }
    catch (const MediaFault& fault)
    {
        throw Problem(502, "gateway_error", "The picture cannot be read: " + fault.code() + ".");
    }
    const Stamp stamp{_context.clock().now(), doer.actor.id};
    const auto writer = _context.blobs().create(brand.text());
    writer->write(cleaned.bytes);
    // The row is there before the file; until it is ready, the sweep of forgotten uploads removes both.
    const auto pending = _context.database().transact(
        [&](Transaction& transaction)
        {
            requireRoom(transaction, tenant, brand, static_cast<std::int64_t>(cleaned.bytes.size()));
            Media media;
            media.brandId = brand;
            media.kind = findMediaType(picture.contentType)->kind;
            media.fileName = picture.fileName;
            media.fileNameFolded = fold(picture.fileName);
            media.contentType = picture.contentType;
            media.size = static_cast<std::int64_t>(cleaned.bytes.size());
            media.altText = picture.altText;
            media.source = picture.source;
            media.width = cleaned.width;
            media.height = cleaned.height;
            media.uploadId = UploadId::make(stamp.now).text();
            media.publishKey = writer->key();
            return mediaTable.create(transaction, tenant, std::move(media), stamp);
        });
    const auto stored = writer->commit();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            Media media = mediaTable.change(transaction, tenant, brand, pending.mediaId, IfMatch(""), stamp,
                                            [&](Media& changed)
                                            {
                                                changed.status = MediaStatus::Ready;
                                                changed.sha256 = stored.sha256;
                                            });
            event.mediaId = media.mediaId;
            audit::record(transaction, tenant, doer, event, stamp.now);
            MediaCopies::orderThumbnail(_context, transaction, media);
            tellMedia(_context, transaction, tenant, brand, media.mediaId);
            return media;
        });
}

Media MediaService::change(Transaction& transaction, const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id,
                           const IfMatch& ifMatch, const Patch<Media>& patch) const
{
    const auto before = mediaTable.require(transaction, tenant, brand, id);
    auto after = mediaTable.change(transaction, tenant, brand, id, ifMatch, {_context.clock().now()}, patch);
    if (after.altText == before.altText) return after;
    if (_use.isApproved(transaction, tenant, brand, id))
        throw Problem::conflict("media_in_use", "A post was approved with this text. Edit the post or return it to draft first.");
    _use.described(transaction, tenant, brand, id, doer);
    return after;
}

void MediaService::remove(const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id, const IfMatch& ifMatch) const
{
    const auto now = _context.clock().now();
    std::vector<std::string> keys;
    const auto take = [&](Transaction& transaction)
    {
        // Posts are written under the lock of the brand's row.
        brandTable.requireForUpdate(transaction, tenant, brand);
        audit::lock(transaction, tenant, brand);
        const auto media = mediaTable.requireForUpdate(transaction, tenant, brand, id);
        ifMatch.require(media.version);
        const auto avatar = transaction.value<std::int64_t>(
            "SELECT 1 FROM brand WHERE organization_id = $1 AND id = $2 AND avatar_media_id = $3", tenant, brand, id);
        if (avatar || usedBy(transaction, media, tenant) > 0)
            throw Problem::conflict("media_in_use", "A post or setting of the brand still uses the file.");
        // Rows of its blobs stay until the blobs are deleted.
        keys = blobsOf(transaction, tenant, media);
        for (const auto& key : keys)
            transaction.execute("INSERT INTO media_removal (blob_key) VALUES ($1) ON CONFLICT (blob_key) DO NOTHING", key);
        if (!media.originalKey.empty() && !media.uploaded) removeAfterTicket(transaction, media);
        transaction.execute("DELETE FROM media_copy WHERE organization_id = $1 AND brand_id = $2 AND media_id = $3", tenant, brand, id);
        mediaTable.erase(transaction, tenant, brand, id);
        audit::record(transaction, tenant, doer, {.kind = AuditKind::MediaDeleted, .brandId = brand, .mediaId = id}, now);
        tellMedia(_context, transaction, tenant, brand, id);
    };
    // Waits for a running analysis of the bytes, which would leave a blob behind.
    withMedia(_context, id, [&] { _context.database().transact(take); });
    _context.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto& key : keys)
            {
                _context.blobs().remove(key);
                transaction.execute("DELETE FROM media_removal WHERE blob_key = $1 AND due_at = 0", key);
            }
        });
}

void MediaService::removeForgotten(const std::stop_token& stop) const
{
    struct Forgotten
    {
        std::string organizationId;
        BrandId brandId;
        MediaId id;
        std::string originalKey, publishKey;
    };
    std::vector<std::string> keys;
    {
        auto session = _context.database().session();
        for (const auto& row : session.query("SELECT blob_key FROM media_removal WHERE due_at <= $1 ORDER BY blob_key LIMIT $2",
                                             _context.clock().now(), sweepBatch))
            keys.push_back(row.get<std::string>(0));
    }
    for (const auto& key : keys)
    {
        _context.blobs().remove(key);
        _context.database().transact([&](Transaction& transaction)
                                     { transaction.execute("DELETE FROM media_removal WHERE blob_key = $1", key); });
    }
    while (!stop.stop_requested())
    {
        std::vector<Forgotten> found;
        {
            auto session = _context.database().session();
            for (const auto& row :
                 session.query("SELECT organization_id, brand_id, id, original_key, publish_key FROM media WHERE status = "
                               "'pending_upload' AND created_at <= $1 ORDER BY id LIMIT $2",
                               _context.clock().now() - pendingLife, sweepBatch))
                found.push_back(
                    {row.get<std::string>(0), row.get<BrandId>(1), row.get<MediaId>(2), row.get<std::string>(3), row.get<std::string>(4)});
        }
        if (found.empty()) return;
        for (const auto& media : found)
        {
            if (!media.originalKey.empty()) _context.blobs().remove(media.originalKey);
            if (!media.publishKey.empty()) _context.blobs().remove(media.publishKey);
            _context.database().transact(
                [&](Transaction& transaction)
                {
                    transaction.execute("DELETE FROM media WHERE organization_id = $1 AND brand_id = $2 AND id = $3 AND status = "
                                        "'pending_upload'",
                                        media.organizationId, media.brandId, media.id);
                });
        }
    }
}

} // namespace portico::social
