#pragma once

#include "portico/Blobs.h"
#include "portico/testing/TemporaryDirectory.h"

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace portico::testing
{

/// Blobs in a temporary folder. Thread-safe.
class PORTICO_API FakeBlobs final : public Blobs
{
public:
    explicit FakeBlobs(std::uint64_t quotaBytesPerScope = std::numeric_limits<std::uint64_t>::max());
    ~FakeBlobs() override;

    std::unique_ptr<Writer> create(std::string_view scope) override;
    std::optional<FileBody> open(std::string_view key) override;
    bool remove(std::string_view key) override;
    std::uint64_t usedBytes(std::string_view scope) override;
    std::optional<std::string> downloadUrl(std::string_view key, const Download& download) override;
    std::optional<UploadUrl> uploadUrl(std::string_view scope, std::uint64_t size, std::string_view contentType,
                                       std::chrono::seconds lifetime) override;

    /// Makes `downloadUrl` and `uploadUrl` return URLs below `https://blobs.example/`, as a bucket that clients reach.
    void offerUrls() { _offersUrls = true; }
    /// Uploads `text` as a client does at an `uploadUrl`. @throws std::invalid_argument for a key without such a URL, and for another size
    void upload(const std::string& key, std::string_view text);

    /// Stores a text and returns its key.
    std::string store(std::string_view scope, std::string_view text);
    /// The whole blob, or empty if there is none.
    std::optional<std::string> text(std::string_view key);

private:
    const TemporaryDirectory _directory;
    const std::unique_ptr<Blobs> _blobs;
    std::atomic<bool> _offersUrls{false};
    std::mutex _mutex;
    /// Uploads that clients may make, by key: the writer and the size.
    std::map<std::string, std::pair<std::unique_ptr<Writer>, std::uint64_t>, std::less<>> _uploads;
};

} // namespace portico::testing
