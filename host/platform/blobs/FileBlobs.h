#pragma once

#include "portico/Blobs.h"

#include <atomic>
#include <chrono>
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

/// Keeps the files of removed blobs during a backup, so that it finds all files that its copy of the database refers to. The hold expires
/// unless its holder prolongs it, so a crashed holder does not block for long. One holder at a time. Thread-safe.
class BlobHold
{
public:
    using Clock = std::chrono::steady_clock;

    /// Takes the hold and returns its token; empty if another holder has it.
    std::string take(std::chrono::milliseconds patience);
    /// False if the hold was lost: then files may be missing.
    bool prolong(const std::string& token, std::chrono::milliseconds patience);
    /// False if it had been lost before.
    bool release(const std::string& token);
    bool isHeld() const noexcept { return Clock::now().time_since_epoch().count() < _until.load(); }

private:
    /// `Clock` time at which the hold expires.
    std::atomic<Clock::rep> _until{0};
    mutable std::mutex _mutex;
    std::string _token;
};

/// The blobs of one service as files: `<root>/data/<scope>/<two digits>/<key>`, and unfinished ones in `<root>/unfinished`. A commit syncs
/// the file, renames it into place and syncs the folders, so that a blob exists whole or not at all, also after a crash. Keys are
/// `<scope>-<random>`, both hexadecimal: a caller's text never becomes part of a path.
/// The bytes of a scope are summed up from its files on first use, and updated afterwards, including bytes being written. While a backup
/// holds the blobs, removed ones move to the same place below `<root>/held`. Thread-safe.
/// Several hosts may share one root on a file system: each counts the files that it found and wrote itself, and a hold only affects
/// removals on that host.
class FileBlobs final : public Blobs
{
public:
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    /// Makes missing folders and removes leftovers of crashed writes and holds. `hold`, if set, outlives this. @throws
    /// std::system_error
    explicit FileBlobs(const std::filesystem::path& root, std::uint64_t quotaBytesPerScope = unlimited, const BlobHold* hold = nullptr);

    std::unique_ptr<Writer> create(std::string_view scope) override;
    std::optional<FileBody> open(std::string_view key) override;
    bool remove(std::string_view key) override;
    std::uint64_t usedBytes(std::string_view scope) override;
    /// Removes for good what was removed under a hold, unless one is in force. @throws std::system_error
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
    const BlobHold* const _hold;
    const std::uint64_t _quotaBytesPerScope;
    std::mutex _mutex;
    std::map<std::string, std::uint64_t, std::less<>> _used;
};

} // namespace portico::host::platform
