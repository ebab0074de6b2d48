#include "host/platform/blobs/FileBlobs.h"

#include "host/base/Digests.h"
#include "host/base/DurableFiles.h"
#include "host/base/FileDescriptor.h"
#include "host/base/HashedPrefix.h"
#include "host/base/Random.h"
#include "host/platform/blobs/BlobKeys.h"

#include "portico/Problem.h"
#include "portico/Request.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::platform
{

namespace
{

/// Bytes that are written before the disk starts to write them.
constexpr std::uint64_t syncBytes = 8 * 1024 * 1024;
constexpr std::size_t hashedBytes = 256 * 1024;
constexpr std::size_t droppedNameBytes = 16;

/// The content of a received file from an offset on.
class FileTail final : public ReceivedFile
{
public:
    FileTail(const ReceivedFile& file, std::uint64_t offset) noexcept : _file(file), _offset(offset) {}
    std::uint64_t size() const noexcept override { return _file.size() - _offset; }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override { return _file.read(_offset + offset, buffer); }

private:
    const ReceivedFile& _file;
    std::uint64_t _offset;
};

std::uint64_t sumOfFiles(const std::filesystem::path& directory)
{
    std::uint64_t sum = 0;
    if (!std::filesystem::is_directory(directory)) return sum;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    {
        // A removed blob adds nothing.
        std::error_code gone;
        const auto size = entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
        if (!gone) sum += size;
    }
    return sum;
}

FileDescriptor openAtEnd(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
    if (!file) throw std::system_error(errno, std::generic_category(), "open " + path.string());
    return file;
}

/// Locks an unfinished blob while it is written, also through a file system that hosts share. The kernel releases the lock when the process
/// ends. Without support for locks, this does nothing.
void keepFromOthers(int descriptor, int kind, const std::filesystem::path& path)
{
    if (::flock(descriptor, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw std::system_error(EAGAIN, std::generic_category(), "lock " + path.string());
}

bool isBeingWritten(const std::filesystem::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return locked;
}

/// Removes the files of crashed writes, but not those that another host is writing.
void removeLeftovers(const std::filesystem::path& directory)
{
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (!isBeingWritten(entry.path())) std::filesystem::remove_all(entry.path());
}

} // namespace

/// Writes into the folder of unfinished blobs; what it charged is refunded unless the blob was committed.
class FileBlobs::FileWriter final : public Blobs::Writer
{
public:
    FileWriter(FileBlobs& blobs, std::string scopeTag)
        : _blobs(blobs),
          _scopeTag(std::move(scopeTag)),
          _key(newBlobKey(_scopeTag)),
          _path(blobs._unfinished / _key),
          _file(FileDescriptor::createNew(_path))
    {
        keepFromOthers(_file.get(), LOCK_EX, _path);
    }

    ~FileWriter() override
    {
        if (_committed) return;
        _file.close();
        std::error_code ignored;
        std::filesystem::remove(_path, ignored);
        _blobs.refund(_scopeTag, _size);
    }

    const std::string& key() const noexcept override { return _key; }

    void write(std::span<const char> data) override
    {
        if (_committed) throw std::logic_error("the blob has been committed");
        _blobs.charge(_scopeTag, data.size());
        _size += data.size();
        _file.writeAll(data, _path);
        _hash.update(data);
        if (_size - _begunSync < syncBytes) return;
        _file.startSync();
        _begunSync = _size;
    }

    void write(const ReceivedFile& file) override
    {
        if (_size > 0 || !takeOver(file)) return Writer::write(file);
        const FileTail tail(file, _size);
        if (tail.size() > 0) Writer::write(tail);
    }

    Stored commit() override
    {
        if (_committed) throw std::logic_error("the blob has been committed");
        _file.sync(_path);
        _blobs.publish(_path, _key);
        _committed = true;
        _file.close();
        return {_key, _size, _hash.hex()};
    }

private:
    /// Gives the received file, which has no name, the name of this blob. The caller handles the part that is not on disk.
    bool takeOver(const ReceivedFile& file)
    {
        if (_committed || file.descriptor() < 0) return false;
        struct stat status = {};
        // A file that has a name belongs to another blob.
        if (::fstat(file.descriptor(), &status) != 0 || status.st_nlink != 0) return false;
        // Shared, as it is locked under both descriptors.
        keepFromOthers(file.descriptor(), LOCK_SH, _path);
        auto taken = _path;
        taken += "-taken";
        if (!linkUnlinked(file.descriptor(), taken)) return false;
        std::filesystem::rename(taken, _path);
        _file = openAtEnd(_path);
        keepFromOthers(_file.get(), LOCK_SH, _path);
        _file.startSync();
        const auto size = static_cast<std::uint64_t>(status.st_size);
        _blobs.charge(_scopeTag, size);
        _size = _begunSync = size;
        const auto* hashed = dynamic_cast<const HashedPrefix*>(&file);
        if (hashed != nullptr && hashed->hashedBytes() == size)
            _hash = hashed->prefixHash();
        else
            hashBegin(file, size);
        return true;
    }

    void hashBegin(const ReceivedFile& file, std::uint64_t size)
    {
        std::vector<char> buffer(hashedBytes);
        for (std::uint64_t offset = 0; offset < size;)
        {
            const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - offset));
            const auto count = file.read(offset, std::span(buffer).first(wanted));
            if (count == 0) throw Problem::internal();
            _hash.update(std::span<const char>(buffer).first(count));
            offset += count;
        }
    }

    FileBlobs& _blobs;
    const std::string _scopeTag;
    const std::string _key;
    const std::filesystem::path _path;
    FileDescriptor _file;
    Sha256 _hash;
    std::uint64_t _size = 0;
    /// Up to here the disk has been set to work.
    std::uint64_t _begunSync = 0;
    bool _committed = false;
};

FileBlobs::FileBlobs(const std::filesystem::path& root, std::uint64_t quotaBytesPerScope, BlobHold* hold)
    : _data(root / "data"),
      _unfinished(root / "unfinished"),
      _held(root / "held"),
      _dropped(root / "dropped"),
      _hold(hold),
      _quotaBytesPerScope(quotaBytesPerScope)
{
    makeDirectories(_data);
    dropHeld();
    makeDirectories(_unfinished);
    removeLeftovers(_unfinished);
}

std::unique_ptr<Blobs::Writer> FileBlobs::create(std::string_view scope) { return std::make_unique<FileWriter>(*this, tagOf(scope)); }

std::optional<FileBody> FileBlobs::open(std::string_view key)
{
    if (!isBlobKey(key)) return std::nullopt;
    const auto path = pathOf(key);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
    {
        if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
        throw std::system_error(errno, std::generic_category(), "open " + path.string());
    }
    FileBody body(descriptor, 0, {});
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) throw std::system_error(errno, std::generic_category(), "stat " + path.string());
    body.size = static_cast<std::uint64_t>(status.st_size);
    body.modified = fromMillis(std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1'000'000);
    return body;
}

bool FileBlobs::remove(std::string_view key)
{
    if (!isBlobKey(key)) return false;
    const auto path = pathOf(key);
    // The sum is computed before the file is removed, so that it includes the file; only one of two concurrent removals gets it.
    const std::lock_guard lock(_mutex);
    auto& used = usage(tagOfKey(key));
    std::error_code absent;
    const auto size = std::filesystem::file_size(path, absent);
    if (absent || !unlink(path)) return false;
    syncDirectory(path.parent_path());
    used -= std::min<std::uint64_t>(size, used);
    return true;
}

bool FileBlobs::unlink(const std::filesystem::path& path) const
{
    if (_hold == nullptr) return std::filesystem::remove(path);
    if (const auto removal = _hold->beginRemoval()) return std::filesystem::remove(path);
    const auto held = _held / path.lexically_relative(_data);
    try
    {
        makeDirectories(held.parent_path());
        std::filesystem::rename(path, held);
        return true;
    }
    catch (const std::system_error& failure)
    {
        if (failure.code() != std::errc::no_such_file_or_directory) throw;
    }
    // Another host has removed the blob, or dropped the folder after the end of the hold.
    return std::filesystem::exists(path) && unlink(path);
}

void FileBlobs::dropHeld()
{
    std::error_code error;
    {
        const std::lock_guard lock(_mutex);
        const auto removal = _hold != nullptr ? _hold->beginRemoval() : std::nullopt;
        if (_hold != nullptr && !removal) return;
        // Renamed under the lock and deleted after it: other hosts move blobs into the folder as long as it has its name.
        if (std::filesystem::exists(_held))
        {
            std::filesystem::create_directory(_dropped, error);
            std::filesystem::rename(_held, _dropped / toHex(randomBytes(droppedNameBytes)), error);
            // Another host may have renamed the one folder or deleted the other. Then the next call drops what is left.
            if (error && error != std::errc::no_such_file_or_directory)
                throw std::filesystem::filesystem_error("cannot drop held blobs", _held, _dropped, error);
        }
    }
    // Another host may delete the same files. The next call deletes what this one or a crash leaves.
    std::filesystem::remove_all(_dropped, error);
}

std::uint64_t FileBlobs::usedBytes(std::string_view scope)
{
    const std::lock_guard lock(_mutex);
    return usage(tagOf(scope));
}

std::filesystem::path FileBlobs::pathOf(std::string_view key) const { return _data / blobPath(key); }

std::uint64_t& FileBlobs::usage(const std::string& scopeTag)
{
    const auto known = _used.find(scopeTag);
    if (known != _used.end()) return known->second;
    return _used.emplace(scopeTag, sumOfFiles(_data / scopeTag)).first->second;
}

void FileBlobs::charge(const std::string& scopeTag, std::uint64_t bytes)
{
    const std::lock_guard lock(_mutex);
    auto& used = usage(scopeTag);
    if (used > _quotaBytesPerScope || bytes > _quotaBytesPerScope - used) throw Problem::tooLarge("There is no room left for files.");
    used += bytes;
}

void FileBlobs::refund(const std::string& scopeTag, std::uint64_t bytes) noexcept
{
    const std::lock_guard lock(_mutex);
    if (const auto known = _used.find(scopeTag); known != _used.end()) known->second -= std::min(bytes, known->second);
}

void FileBlobs::publish(const std::filesystem::path& unfinished, const std::string& key) const
{
    const auto path = pathOf(key);
    makeDirectories(path.parent_path());
    renameDurably(unfinished, path);
}

} // namespace portico::host::platform
