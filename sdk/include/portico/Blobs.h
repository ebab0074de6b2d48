#pragma once

#include "portico/Export.h"
#include "portico/Response.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portico
{

class ReceivedFile;

/// Large values on disk, addressed by the key under which they were committed. Thread-safe.
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
        /// Final key of the blob after commit. Record it before committing, so that a crash in between leaves no unknown blob.
        virtual const std::string& key() const noexcept = 0;
        /// @throws Problem 413 `payload_too_large` over the quota.
        virtual void write(std::span<const char> data) = 0;
        /// Appends a received file; takes it over instead of copying it where that is possible. @throws as the other.
        virtual void write(const ReceivedFile& file);
        /// Makes it durable and visible, at once and whole.
        virtual Stored commit() = 0;
    };
    virtual ~Blobs();
    /// `scope` is what the quota is counted by, usually the organization.
    virtual std::unique_ptr<Writer> create(std::string_view scope) = 0;
    virtual std::optional<FileBody> open(std::string_view key) = 0;
    /// True if it was there.
    virtual bool remove(std::string_view key) = 0;
    virtual std::uint64_t usedBytes(std::string_view scope) = 0;
};

} // namespace portico
