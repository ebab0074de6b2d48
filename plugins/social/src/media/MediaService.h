#pragma once

#include "audit/AuditTrail.h"
#include "media/Media.h"
#include "media/MediaLinks.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"

#include <functional>
#include <string>

namespace portico::social
{

/// What makes an upload ticket.
struct NewUpload
{
    std::string fileName;
    std::string contentType;
    std::int64_t size = 0;
    std::optional<std::string> sha256;
    std::string altText;
};

/// A picture that the service itself brings.
struct NewPicture
{
    std::string fileName;
    std::string contentType;
    std::string bytes;
    std::string altText;
    MediaSource source = MediaSource::Import;
};

/// Counts the drafts, pending, queued, retrying and failed items that refer to a file. Empty: none do.
using MediaUse = std::function<std::int64_t(Session&, Tenant, const BrandId&, const MediaId&)>;

/// Receives, cleans and removes the files of brands. Thread-safe.
class MediaService
{
public:
    /// Life of an upload ticket.
    static constexpr std::chrono::seconds ticketLife{900};

    MediaService(PluginContext& context, MediaUse use) : _context(context), _use(std::move(use)) {}

    /// Handles the job that removes what was never completed.
    void start();

    /// @throws Problem 415 for a type that is not accepted; 413 for a file or a brand's day over its limit, or an organization over its
    /// quota; 404
    Media begin(const Doer& doer, Tenant tenant, const BrandId& brand, const NewUpload& upload) const;
    /// Stores the bytes of a ticket, once. The caller has checked the signature. @throws Problem 409 `conflict` for a ticket that was used;
    /// 410 for one whose file is gone
    void receive(const std::string& uploadId, const ReceivedFile& file) const;
    /// Looks at the bytes, takes the metadata out, and makes the file ready or rejected.
    /// @throws Problem 404; 409 `not_uploaded`; 415 when the bytes are of another type than was announced
    Media complete(const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id,
                   const std::optional<std::string>& sha256) const;
    /// Adds a JPEG, PNG, WebP or GIF that is ready at once, with `event` about it.
    /// @throws Problem 413 as `begin`; 502 `gateway_error` for bytes that are no whole picture; 404
    Media add(const Doer& doer, Tenant tenant, const BrandId& brand, const NewPicture& picture, NewEvent event) const;
    /// @throws Problem 404, 412; 409 `media_in_use`
    void remove(const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id, const IfMatch& ifMatch) const;

    std::int64_t usedBy(Session& session, const Media& media, Tenant tenant) const
    {
        return _use ? _use(session, tenant, media.brandId, media.mediaId) : 0;
    }

private:
    struct Looked;
    Looked look(const Media& media, const std::optional<std::string>& sha256, const std::string& scope) const;
    Media finish(const Doer& doer, Tenant tenant, const Media& media, const Looked& looked) const;
    void removeForgotten(const std::stop_token& stop) const;
    void requireRoom(Transaction& transaction, Tenant tenant, const BrandId& brand, std::int64_t size) const;

    PluginContext& _context;
    const MediaUse _use;
};

} // namespace portico::social
