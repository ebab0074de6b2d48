#pragma once

#include "host/platform/blobs/BlobHold.h"

#include "portico/Blobs.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// The blobs of one service as files: `<root>/data/<scope>/<two digits>/<key>`, and unfinished ones in `<root>/unfinished`. A commit syncs
/// the file, renames it into place and syncs the folders, so that a blob exists whole or not at all, also after a crash. Keys are
/// `<scope>-<random>`, both hexadecimal: a caller's text never becomes part of a path.
/// The bytes of a scope are summed up from its files on first use, and updated afterwards, including bytes being written. While a backup
/// holds the blobs, removed ones move to the same place below `<root>/held`. Thread-safe.
/// Several hosts may share one root on a file system: each counts the files that it found and wrote itself.
class FileBlobs final : public Blobs
{
public:
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    /// Makes missing folders and removes leftovers of crashed writes and holds. `hold`, if set, outlives this. @throws
    /// std::system_error
    explicit FileBlobs(const std::filesystem::path& root, std::uint64_t quotaBytesPerScope = unlimited, BlobHold* hold = nullptr);

    std::unique_ptr<Writer> create(std::string_view scope) override;
    std::optional<FileBody> open(std::string_view key) override;
    bool remove(std::string_view key) override;
    std::uint64_t usedBytes(std::string_view scope) override;
    /// Removes for good what was removed under a hold, unless a host has one. @throws std::system_error
    void dropHeld();

private:
    class FileWriter;

    std::filesystem::path pathOf(std::string_view key) const;
    /// Returns the bytes of a scope, summed up at the first call. Needs `_mutex`.
    std::uint64_t& usage(const std::string& scopeTag);
    /// @throws Problem 413 when the quota does not allow it.
    void charge(const std::string& scopeTag, std::uint64_t bytes);
    void refund(const std::string& scopeTag, std::uint64_t bytes) noexcept;
    /// Needs `_mutex`. Returns false if the file was already removed.
    bool unlink(const std::filesystem::path& path) const;
    void publish(const std::filesystem::path& unfinished, const std::string& key) const;

    const std::filesystem::path _data;
    const std::filesystem::path _unfinished;
    const std::filesystem::path _held;
    /// Contains former `held` folders, which are being deleted.
    const std::filesystem::path _dropped;
    BlobHold* const _hold;
    const std::uint64_t _quotaBytesPerScope;
    std::mutex _mutex;
    std::map<std::string, std::uint64_t, std::less<>> _used;
};

} // namespace portico::host::platform
