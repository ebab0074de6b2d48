#pragma once

#include "portico/Blobs.h"
#include "portico/testing/TemporaryDirectory.h"

#include <limits>
#include <memory>

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

    /// Stores a text and returns its key.
    std::string store(std::string_view scope, std::string_view text);
    /// The whole blob, or empty if there is none.
    std::optional<std::string> text(std::string_view key);

private:
    const TemporaryDirectory _directory;
    const std::unique_ptr<Blobs> _blobs;
};

} // namespace portico::testing
