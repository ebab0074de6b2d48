#pragma once

#include "host/platform/s3/S3Store.h"

#include "portico/Blobs.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

namespace portico::host::platform
{

/// The blobs of one service in a bucket: `<prefix><service>/data/<scope>/<two digits>/<key>`, the same path as in the folder of FileBlobs,
/// so that general tools copy between both. At most `partBytes` of a blob wait on this host's disk, in a file without a name; a larger blob
/// is uploaded in parts while it is written. `open` downloads into such a file. A commit returns when the bucket has confirmed the blob.
/// The bytes of a scope are summed up from the bucket's list, again after an hour, so that hosts see each other's. Thread-safe.
class S3Blobs final : public Blobs
{
public:
    /// @param folder for files without a name; made if it is absent. @param store outlives this
    S3Blobs(S3Store& store, std::string serviceId, std::filesystem::path folder, std::uint64_t quotaBytesPerScope, const Clock& clock);

    std::unique_ptr<Writer> create(std::string_view scope) override;
    std::optional<FileBody> open(std::string_view key) override;
    /// Both of two callers at the same time may get true.
    bool remove(std::string_view key) override;
    std::uint64_t usedBytes(std::string_view scope) override;
    std::optional<std::string> downloadUrl(std::string_view key, const Download& download) override;
    std::optional<UploadUrl> uploadUrl(std::string_view scope, std::uint64_t size, std::string_view contentType,
                                       std::chrono::seconds lifetime) override;
    /// Removes every blob of the service.
    void removeAll();

private:
    class PartWriter;
    struct Usage
    {
        std::uint64_t stored = 0;
        std::uint64_t unfinished = 0;
        /// Bytes that clients may upload, by the expiry of their URL. Uploaded ones are counted again by a list of the bucket.
        std::multimap<std::chrono::steady_clock::time_point, std::uint64_t> awaited;
        std::chrono::steady_clock::time_point countedAt;
        bool counted = false;
    };

    std::string prefix() const;
    std::string objectOf(std::string_view key) const;
    /// Counts the scope if it was not counted in the last hour. Releases the mutex while the bucket answers.
    void count(const std::string& scopeTag);
    /// Requires room for more bytes; the caller has locked the mutex. @throws Problem 413
    Usage& requireRoom(const std::string& scopeTag, std::uint64_t bytes);
    /// @throws Problem 413
    void charge(const std::string& scopeTag, std::uint64_t bytes);
    void settle(const std::string& scopeTag, std::uint64_t bytes, bool stored) noexcept;
    FileBody unnamedFile() const;

    S3Store& _store;
    const std::string _serviceId;
    const std::filesystem::path _folder;
    const std::uint64_t _quotaBytesPerScope;
    const Clock& _clock;
    std::mutex _mutex;
    std::map<std::string, Usage, std::less<>> _usage;
};

} // namespace portico::host::platform
