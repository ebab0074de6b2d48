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

/// Input for an upload ticket.
struct NewUpload
{
    std::string fileName;
    std::string contentType;
    std::int64_t size = 0;
    std::optional<std::string> sha256;
    std::string altText;
};

/// An upload that has begun.
struct BegunUpload
{
    Media media;
    /// Upload address at the file store; empty: uploads go to this service.
    std::optional<std::string> storeUrl;
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

/// How items use a file. All functions are set.
struct MediaUse
{
    /// Counts the drafts, pending, queued, retrying and failed items that refer to the file.
    std::function<std::int64_t(Session&, Tenant, const BrandId&, const MediaId&)> items;
    /// Returns whether the alternative text of the file was approved with an item that is not published yet.
    std::function<bool(Session&, Tenant, const BrandId&, const MediaId&)> isApproved;
    /// Called in the transaction that changes the alternative text of the file.
    std::function<void(Transaction&, Tenant, const BrandId&, const MediaId&, const Doer&)> described;
};

/// Receives, cleans and removes the files of brands. Thread-safe.
class MediaService
{
public:
    /// Life of an upload ticket.
    static constexpr std::chrono::seconds ticketLife{900};

    MediaService(PluginContext& context, MediaUse use) : _context(context), _use(std::move(use)) {}

    /// Registers the job that removes incomplete uploads.
    void start();

    /// @throws Problem 415 for a type that is not accepted; 413 for a file or a brand's day over its limit, or an organization over its
    /// quota; 404
    BegunUpload begin(const Doer& doer, Tenant tenant, const BrandId& brand, const NewUpload& upload) const;
    /// Returns the brand of an upload that is still to be sent. @throws Problem 409 `conflict` for a used ticket; 410 if its file was
    /// deleted
    BrandId requireUpload(const std::string& uploadId) const;
    /// Stores the bytes of a ticket, once. The caller has checked the signature. @throws as `requireUpload`
    void receive(const std::string& uploadId, const ReceivedFile& file) const;
    /// Checks the bytes, removes the metadata, and makes the file ready or rejected.
    /// @throws Problem 404; 409 `not_uploaded`; 415 if the type of the bytes differs from the declared one
    Media complete(const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id,
                   const std::optional<std::string>& sha256) const;
    /// Adds a JPEG, PNG, WebP or GIF that is ready at once, with `event` about it.
    /// @throws Problem 413 as `begin`; 502 `gateway_error` for bytes that are not a complete picture; 404
    Media add(const Doer& doer, Tenant tenant, const BrandId& brand, const NewPicture& picture, NewEvent event) const;
    /// @throws Problem 404, 412; 409 `media_in_use`
    void remove(const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id, const IfMatch& ifMatch) const;

    std::int64_t usedBy(Session& session, const Media& media, Tenant tenant) const
    {
        return _use.items(session, tenant, media.brandId, media.mediaId);
    }
    /// @throws Problem 404, 412; 409 `media_in_use` for another alternative text while an approved item waits to be published with it
    Media change(Transaction& transaction, const Doer& doer, Tenant tenant, const BrandId& brand, const MediaId& id, const IfMatch& ifMatch,
                 const Patch<Media>& patch) const;

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
