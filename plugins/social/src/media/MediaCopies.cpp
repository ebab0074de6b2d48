#include "media/MediaCopies.h"

#include "common/ChangeNews.h"
#include "media/FileBytes.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace portico::social
{

namespace
{
constexpr std::string_view thumbnailJob = "social.media.thumbnail";
constexpr std::string_view missingJob = "social.media.order_thumbnails";
constexpr std::int64_t thumbnailEdge = 512;
constexpr std::int64_t thumbnailBytes = 200'000;
/// Longer side of a copy for a network, enough for a large screen.
constexpr std::int64_t copyEdge = 2048;
constexpr std::int64_t missingBatch = 200;
/// A blob that no row refers to by then is removed.
constexpr auto orphanLife = std::chrono::hours(1);

struct Thumbnail
{
    MediaId mediaId;
};

constexpr auto schemaOf(const Thumbnail*) { return describe(members<&Thumbnail::mediaId>()); }

bool isDecoded(std::string_view contentType)
{
    return contentType == "image/jpeg" || contentType == "image/png" || contentType == "image/webp" || contentType == "image/gif";
}

bool takes(const NetworkLimits& limits, std::string_view type)
{
    return std::ranges::find(limits.mimeTypes, type) != limits.mimeTypes.end();
}
} // namespace

std::optional<CopyLimits> copyNeeded(const PublishedFile& file, const NetworkLimits& limits)
{
    // A copy of an animation would be its first picture.
    if (file.kind != "image" || !isDecoded(file.contentType)) return std::nullopt;
    const auto maxPixels = limits.maxImagePixels.value_or(0);
    const bool isLarge = file.size > limits.maxImageBytes || (maxPixels > 0 && file.width * file.height > maxPixels);
    if (!isLarge && takes(limits, file.contentType)) return std::nullopt;
    CopyLimits wanted{.edge = copyEdge, .pixels = maxPixels, .bytes = limits.maxImageBytes, .types = {}};
    for (const auto* type : {"image/jpeg", "image/png"})
        if (takes(limits, type)) wanted.types.emplace_back(type);
    if (wanted.types.empty() || wanted.bytes <= 0) return std::nullopt;
    return wanted;
}

std::string variantOf(const CopyLimits& limits) { return "copy-" + sha256(limits.text()).hex().substr(0, 16); }

void MediaCopies::start()
{
    auto& jobs = _context.jobs();
    jobs.handle<Thumbnail>(thumbnailJob, [this](const Thumbnail& work, const Job& job) { makeThumbnail(work.mediaId, job.stop); });
    jobs.handle(missingJob, [this](const Job&) { orderMissing(); });
    jobs.every(missingJob, std::chrono::hours(1));
}

void MediaCopies::orderThumbnail(PluginContext& context, Transaction& transaction, const Media& media)
{
    const bool isShown = media.kind == MediaKind::Image || media.kind == MediaKind::Gif || (media.kind == MediaKind::Video && hasPosters());
    if (!isShown) return;
    context.jobs().enqueue(transaction, thumbnailJob, Thumbnail{media.mediaId}, {.dedupeKey = "thumbnail:" + media.mediaId.text()});
}

/// Enqueues thumbnails for files from a version without them, and for those whose job failed permanently.
void MediaCopies::orderMissing() const
{
    _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto order = [&](MediaKind kind, const std::vector<MediaId>& ids)
            {
                Media media;
                media.kind = kind;
                for (const auto& id : ids) media.mediaId = id, orderThumbnail(_context, transaction, media);
            };
            order(MediaKind::Image, transaction.values<MediaId>(
                                        "SELECT id FROM media WHERE thumbnail_key = '' AND thumbnail_fault IS NULL AND kind IN ('image', "
                                        "'gif') AND publish_key <> '' ORDER BY id LIMIT $1",
                                        missingBatch));
            if (!hasPosters()) return;
            order(MediaKind::Video, transaction.values<MediaId>("SELECT id FROM media WHERE thumbnail_key = '' AND thumbnail_fault IS NULL "
                                                                "AND kind = 'video' AND publish_key <> '' ORDER BY id LIMIT $1",
                                                                missingBatch));
        });
}

Blobs::Stored MediaCopies::store(const BrandId& brand, const FileBody& file) const
{
    const auto writer = _context.blobs().create(brand.text());
    _context.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("INSERT INTO media_removal (blob_key, due_at) VALUES ($1, $2)", writer->key(),
                                _context.clock().now() + orphanLife);
        });
    copyFile(file, *writer);
    return writer->commit();
}

void MediaCopies::keep(Transaction& transaction, std::string_view blobKey)
{
    transaction.execute("DELETE FROM media_removal WHERE blob_key = $1", blobKey);
}

void MediaCopies::makeThumbnail(const MediaId& id, const std::stop_token& stop) const
{
    struct Place
    {
        std::string owner;
        Media media;
    };
    const auto placeOf = [&]() -> std::optional<Place>
    {
        auto session = _context.database().session();
        auto owner = session.value<std::string>("SELECT organization_id FROM media WHERE id = $1", id);
        auto media = session.one<Media>("SELECT " + columns<Media>() + " FROM media WHERE id = $1", id);
        if (!owner || !media) return std::nullopt;
        return Place{*std::move(owner), *std::move(media)};
    };
    const auto place = placeOf();
    if (!place || place->media.status != MediaStatus::Ready || !place->media.thumbnailKey.empty()) return;
    const auto tenant = Tenant::fromStored(place->owner);
    std::string key, type;
    std::optional<std::string> fault;
    try
    {
        const auto file = _context.blobs().open(place->media.publishKey);
        if (!file) return;
        CopyLimits limits{.edge = thumbnailEdge, .pixels = 0, .bytes = thumbnailBytes, .types = {"image/jpeg"}};
        const bool isVideo = place->media.kind == MediaKind::Video;
        if (!isVideo) limits.types.emplace_back("image/webp");
        const auto made = isVideo ? makePoster(_context, *file, limits, stop) : makeCopy(_context, *file, limits, stop);
        key = store(place->media.brandId, made.file).key;
        type = made.contentType;
    }
    catch (const PictureFault& found)
    {
        fault = found.code();
    }
    _context.database().transact(
        [&](Transaction& transaction)
        {
            // A file that was deleted or transferred in the meantime keeps its blob in `media_removal`.
            const auto changed = transaction.execute(
                "UPDATE media SET thumbnail_key = $3, thumbnail_type = $4, thumbnail_fault = $5 WHERE organization_id = "
                "$1 AND id = $2 AND thumbnail_key = ''",
                tenant, id, key, type, fault);
            if (changed == 0) return;
            keep(transaction, key);
            tellMedia(_context, transaction, tenant, place->media.brandId, id);
        });
}

std::optional<MediaCopy> MediaCopies::find(Session& session, Tenant tenant, const BrandId& brand, const MediaId& media,
                                           std::string_view variant)
{
    auto rows =
        session.query("SELECT blob_key, content_type, size, width, height, sha256, fault FROM media_copy WHERE organization_id = $1 "
                      "AND brand_id = $2 AND media_id = $3 AND variant = $4",
                      tenant, brand, media, variant);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return MediaCopy{row->get<std::string>(0),  row->get<std::string>(1), row->get<std::int64_t>(2), row->get<std::int64_t>(3),
                     row->get<std::int64_t>(4), row->get<std::string>(5), row->get<std::string>(6)};
}

MediaCopy MediaCopies::make(const PublishedFile& file, const CopyLimits& limits, const BrandId& brand) const
{
    MediaCopy copy;
    try
    {
        const auto picture = _context.blobs().open(file.blobKey);
        if (!picture) throw PictureFault("gone");
        const auto made = makeCopy(_context, *picture, limits, {});
        const auto stored = store(brand, made.file);
        return {stored.key, made.contentType, static_cast<std::int64_t>(stored.size), made.width, made.height, stored.sha256, {}};
    }
    catch (const PictureFault& fault)
    {
        copy.fault = fault.code();
    }
    return copy;
}

MediaCopy MediaCopies::require(Tenant tenant, const BrandId& brand, const PublishedFile& file, const CopyLimits& limits) const
{
    const auto variant = variantOf(limits);
    const auto known = [&]
    {
        auto session = _context.database().session();
        return find(session, tenant, brand, file.mediaId, variant);
    };
    if (auto found = known()) return *std::move(found);
    const auto made = make(file, limits, brand);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            // If two hosts make the copy at the same time, the first one is kept, so that later attempts send the same bytes.
            const auto added = transaction.execute(
                "INSERT INTO media_copy (organization_id, brand_id, media_id, variant, blob_key, content_type, size, width, height, "
                "sha256, "
                "fault, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (organization_id, brand_id, "
                "media_id, variant) DO NOTHING",
                tenant, brand, file.mediaId, variant, made.blobKey, made.contentType, made.size, made.width, made.height, made.sha256,
                made.fault, _context.clock().now());
            if (added > 0) keep(transaction, made.blobKey);
            return *find(transaction, tenant, brand, file.mediaId, variant);
        });
}

} // namespace portico::social
