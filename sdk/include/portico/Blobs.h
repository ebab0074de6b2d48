#pragma once

#include "portico/Export.h"
#include "portico/Response.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portico
{

class ReceivedFile;
class Request;

/// Large values in files or in an S3 bucket (`blobs.store`), addressed by the key under which they were committed. Thread-safe. Every
/// function may wait for the bucket and throws Problem 503 `overloaded` with Retry-After while it cannot be used.
class PORTICO_API Blobs
{
public:
    struct Stored
    {
        std::string key;
        std::uint64_t size = 0;
        /// Lower-case hexadecimal.
        std::string sha256;
    };
    /// A blob being written; removed unless committed. Used by one thread.
    class PORTICO_API Writer
    {
    public:
        virtual ~Writer();
        /// Final key of the blob after commit. Store it before committing, so that a crash in between leaves no unknown blob.
        virtual const std::string& key() const noexcept = 0;
        /// @throws Problem 413 `payload_too_large` over the quota.
        virtual void write(std::span<const char> data) = 0;
        /// Appends a received file, if possible by moving it instead of copying. @throws like the other overload
        virtual void write(const ReceivedFile& file);
        /// Makes the blob durable and visible atomically.
        virtual Stored commit() = 0;
    };
    virtual ~Blobs();
    /// `scope` identifies the quota, usually the organization.
    virtual std::unique_ptr<Writer> create(std::string_view scope) = 0;
    virtual std::optional<FileBody> open(std::string_view key) = 0;
    /// Returns whether the blob existed.
    virtual bool remove(std::string_view key) = 0;
    virtual std::uint64_t usedBytes(std::string_view scope) = 0;

    /// Describes how the store sends a blob.
    struct Download
    {
        /// 1 second to 7 days.
        std::chrono::seconds lifetime = std::chrono::minutes(1);
        /// Content-Type and Content-Disposition; empty: as the store chooses.
        std::string contentType;
        std::string disposition;
    };
    /// URL from which every client that has it downloads the blob (`GET`) until the lifetime ends. It cannot be revoked. Empty where
    /// clients do not reach the store (files, or a bucket without `blobs.s3.publicEndpoint`): serve the blob on a route then. Does not
    /// check that the blob exists. `sendBlob` chooses between both.
    virtual std::optional<std::string> downloadUrl(std::string_view key, const Download& download);

    /// Where a client uploads a blob without passing the host.
    struct UploadUrl
    {
        /// Key of the blob. Record it before you pass the URL on: the blob exists as soon as the upload ends.
        std::string key;
        /// Accepts `PUT` with exactly the Content-Type and Content-Length that it was made for.
        std::string url;
    };
    /// URL for an upload of `size` bytes (at most 5 GiB) until `lifetime` ends (1 second to 7 days). The quota includes them until then.
    /// Empty where `downloadUrl` is. The content is unchecked: `open` the key afterwards. The URL works again until it expires, so `remove`
    /// the key after that. @throws Problem 413 `payload_too_large` over the quota
    virtual std::optional<UploadUrl> uploadUrl(std::string_view scope, std::uint64_t size, std::string_view contentType,
                                               std::chrono::seconds lifetime);
};

/// Lets `response` send a blob: as its `file`, or where clients reach the store, by a redirect (302) to a URL that is valid for a minute.
/// Set `contentType` before. `disposition` becomes Content-Disposition. False if there is no such blob, which a redirect does not check.
PORTICO_API bool sendBlob(Blobs& blobs, std::string_view key, const Request& request, Response& response,
                          std::string_view disposition = {});

} // namespace portico
