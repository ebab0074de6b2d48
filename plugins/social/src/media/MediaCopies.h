#pragma once

#include "media/Media.h"
#include "media/PictureHelper.h"
#include "networks/Limits.h"
#include "networks/Publication.h"

#include "portico/Jobs.h"
#include "portico/Plugin.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace portico::social
{

/// A copy of a picture that fits limits, or why there is none.
struct MediaCopy
{
    std::string blobKey;
    std::string contentType;
    std::int64_t size = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::string sha256;
    /// Code of a PictureFault; empty where the copy exists.
    std::string fault;
};

/// Returns the limits of the copy that a network needs of a file. Empty: the file fits, or a copy does not help.
std::optional<CopyLimits> copyNeeded(const PublishedFile& file, const NetworkLimits& limits);

/// Returns the name of a copy in addresses and rows.
std::string variantOf(const CopyLimits& limits);

/// Smaller copies of pictures: thumbnails, and what networks take. No picture is decoded in this process. Thread-safe.
class MediaCopies
{
public:
    explicit MediaCopies(PluginContext& context) : _context(context) {}

    /// Handles the jobs that make thumbnails.
    void start();
    /// Enqueues the thumbnail of a file, in the transaction that makes the file ready.
    static void orderThumbnail(PluginContext& context, Transaction& transaction, const Media& media);

    /// Returns the stored copy of a file; empty before the first attempt.
    static std::optional<MediaCopy> find(Session& session, Tenant tenant, const BrandId& brand, const MediaId& media,
                                         std::string_view variant);
    /// Returns the copy, and makes it if there was no attempt yet. @throws HelperFault if another attempt may succeed
    MediaCopy require(Tenant tenant, const BrandId& brand, const PublishedFile& file, const CopyLimits& limits) const;

private:
    void makeThumbnail(const MediaId& id, const std::stop_token& stop) const;
    void orderMissing() const;
    /// Stores a file as a blob. A row records its key before the blob exists, until `keep` is called in the transaction.
    Blobs::Stored store(const BrandId& brand, const FileBody& file) const;
    static void keep(Transaction& transaction, std::string_view blobKey);
    MediaCopy make(const PublishedFile& file, const CopyLimits& limits, const BrandId& brand) const;

    PluginContext& _context;
};

} // namespace portico::social
