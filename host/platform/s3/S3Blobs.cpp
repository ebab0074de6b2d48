#include "host/platform/s3/S3Blobs.h"

#include "host/base/Digests.h"
#include "host/base/DurableFiles.h"
#include "host/platform/blobs/BlobKeys.h"

#include "portico/Problem.h"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace portico::host::platform
{

namespace
{

constexpr std::chrono::hours countAgain{1};
constexpr std::uint64_t largestUpload = std::uint64_t{5} << 30;

void requireLifetime(std::chrono::seconds lifetime)
{
    if (lifetime < std::chrono::seconds(1) || lifetime > std::chrono::days(7))
        throw std::invalid_argument("a URL of a blob is valid for 1 second to 7 days");
}

void writeAt(int file, std::uint64_t offset, std::span<const char> data)
{
    while (!data.empty())
    {
        const auto count = ::pwrite(file, data.data(), data.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw std::system_error(count < 0 ? errno : EIO, std::generic_category(), "write a part of a blob");
        offset += static_cast<std::uint64_t>(count);
        data = data.subspan(static_cast<std::size_t>(count));
    }
}

} // namespace

/// Fills a file with one part, and uploads it when more follows.
class S3Blobs::PartWriter final : public Blobs::Writer
{
public:
    PartWriter(S3Blobs& blobs, std::string scopeTag)
        : _blobs(blobs),
          _scopeTag(std::move(scopeTag)),
          _key(newBlobKey(_scopeTag)),
          _object(blobs.objectOf(_key)),
          _part(blobs.unnamedFile())
    {
    }

    ~PartWriter() override
    {
        if (_committed) return;
        if (!_upload.empty()) _blobs._store.abortUpload(_object, _upload);
        _blobs.settle(_scopeTag, _size, false);
    }

    const std::string& key() const noexcept override { return _key; }

    void write(std::span<const char> data) override
    {
        if (_committed) throw std::logic_error("the blob has been committed");
        _blobs.charge(_scopeTag, data.size());
        _size += data.size();
        while (!data.empty())
        {
            const auto room = _blobs._store.settings().partBytes - _part.size;
            if (room == 0)
            {
                sendPart();
                continue;
            }
            const auto piece = data.first(static_cast<std::size_t>(std::min<std::uint64_t>(room, data.size())));
            writeAt(_part.descriptor, _part.size, piece);
            _whole.update(piece);
            if (!_parts.empty()) _hash.update(piece);
            _part.size += piece.size();
            data = data.subspan(piece.size());
        }
    }
    using Writer::write;

    Stored commit() override
    {
        if (_committed) throw std::logic_error("the blob has been committed");
        if (!_upload.empty()) sendPart();
        auto sha256 = _whole.hex();
        if (_upload.empty())
            _blobs._store.put(_object, _part, sha256);
        else
            _blobs._store.completeUpload(_object, _upload, _parts, _size);
        _committed = true;
        _blobs.settle(_scopeTag, _size, true);
        return {_key, _size, std::move(sha256)};
    }

private:
    void sendPart()
    {
        if (_upload.empty()) _upload = _blobs._store.beginUpload(_object);
        const auto number = static_cast<int>(_parts.size()) + 1;
        auto hash = _parts.empty() ? _whole : std::exchange(_hash, Sha256());
        _parts.push_back(_blobs._store.putPart(_object, _upload, number, _part, hash.hex()));
        if (::ftruncate(_part.descriptor, 0) != 0) throw std::system_error(errno, std::generic_category(), "empty a part of a blob");
        _part.size = 0;
    }

    S3Blobs& _blobs;
    const std::string _scopeTag;
    const std::string _key;
    const std::string _object;
    FileBody _part;
    Sha256 _whole;
    /// Hash of the part that is being written; unused for the first part, which `_whole` hashes.
    Sha256 _hash;
    std::uint64_t _size = 0;
    std::string _upload;
    std::vector<S3Store::Part> _parts;
    bool _committed = false;
};

S3Blobs::S3Blobs(S3Store& store, std::string serviceId, std::filesystem::path folder, std::uint64_t quotaBytesPerScope, const Clock& clock)
    : _store(store), _serviceId(std::move(serviceId)), _folder(std::move(folder)), _quotaBytesPerScope(quotaBytesPerScope), _clock(clock)
{
    makeDirectories(_folder);
}

std::unique_ptr<Blobs::Writer> S3Blobs::create(std::string_view scope) { return std::make_unique<PartWriter>(*this, tagOf(scope)); }

std::optional<FileBody> S3Blobs::open(std::string_view key)
{
    if (!isBlobKey(key)) return std::nullopt;
    auto file = unnamedFile();
    const auto found = _store.read(objectOf(key), file.descriptor);
    if (!found) return std::nullopt;
    file.size = found->size;
    file.modified = found->modified;
    return file;
}

bool S3Blobs::remove(std::string_view key)
{
    if (!isBlobKey(key)) return false;
    const auto object = objectOf(key);
    const auto found = _store.stat(object);
    if (!found) return false;
    _store.remove(object);
    const std::lock_guard lock(_mutex);
    if (const auto usage = _usage.find(tagOfKey(key)); usage != _usage.end())
        usage->second.stored -= std::min(found->size, usage->second.stored);
    return true;
}

std::uint64_t S3Blobs::usedBytes(std::string_view scope)
{
    const auto tag = tagOf(scope);
    count(tag);
    const std::lock_guard lock(_mutex);
    const auto& usage = _usage[tag];
    return usage.stored + usage.unfinished;
}

std::optional<std::string> S3Blobs::downloadUrl(std::string_view key, const Download& download)
{
    if (!isBlobKey(key)) return std::nullopt;
    requireLifetime(download.lifetime);
    S3Signer::Pairs query;
    if (!download.disposition.empty()) query.emplace_back("response-content-disposition", download.disposition);
    if (!download.contentType.empty()) query.emplace_back("response-content-type", download.contentType);
    return _store.clientUrl("GET", objectOf(key), download.lifetime, query, {});
}

std::optional<Blobs::UploadUrl> S3Blobs::uploadUrl(std::string_view scope, std::uint64_t size, std::string_view contentType,
                                                   std::chrono::seconds lifetime)
{
    requireLifetime(lifetime);
    if (size > largestUpload) throw std::invalid_argument("an upload at a URL has at most 5 GiB");
    const auto scopeTag = tagOf(scope);
    auto key = newBlobKey(scopeTag);
    auto url = _store.clientUrl("PUT", objectOf(key), lifetime, {},
                                {{"content-length", std::to_string(size)}, {"content-type", std::string(contentType)}});
    if (!url) return std::nullopt;
    count(scopeTag);
    const std::lock_guard lock(_mutex);
    requireRoom(scopeTag, size).awaited.emplace(_clock.steady() + lifetime, size);
    return UploadUrl{std::move(key), std::move(*url)};
}

void S3Blobs::removeAll()
{
    std::vector<std::string> objects;
    _store.list(prefix(), [&](const std::string& object, std::uint64_t) { objects.push_back(object); });
    for (const auto& object : objects) _store.remove(object);
}

std::string S3Blobs::prefix() const { return _store.settings().prefix + _serviceId + "/data/"; }

std::string S3Blobs::objectOf(std::string_view key) const { return prefix() + blobPath(key); }

void S3Blobs::count(const std::string& scopeTag)
{
    {
        const std::lock_guard lock(_mutex);
        const auto& usage = _usage[scopeTag];
        if (usage.counted && _clock.steady() - usage.countedAt < countAgain) return;
    }
    std::uint64_t sum = 0;
    _store.list(prefix() + scopeTag + "/", [&sum](const std::string&, std::uint64_t size) { sum += size; });
    const std::lock_guard lock(_mutex);
    auto& usage = _usage[scopeTag];
    usage.stored = sum;
    usage.countedAt = _clock.steady();
    usage.counted = true;
}

S3Blobs::Usage& S3Blobs::requireRoom(const std::string& scopeTag, std::uint64_t bytes)
{
    auto& usage = _usage[scopeTag];
    usage.awaited.erase(usage.awaited.begin(), usage.awaited.lower_bound(_clock.steady()));
    const auto used = std::accumulate(usage.awaited.begin(), usage.awaited.end(), usage.stored + usage.unfinished,
                                      [](std::uint64_t sum, const auto& each) { return sum + each.second; });
    if (used > _quotaBytesPerScope || bytes > _quotaBytesPerScope - used) throw Problem::tooLarge("There is no room left for files.");
    return usage;
}

void S3Blobs::charge(const std::string& scopeTag, std::uint64_t bytes)
{
    count(scopeTag);
    const std::lock_guard lock(_mutex);
    requireRoom(scopeTag, bytes).unfinished += bytes;
}

void S3Blobs::settle(const std::string& scopeTag, std::uint64_t bytes, bool stored) noexcept
{
    const std::lock_guard lock(_mutex);
    const auto found = _usage.find(scopeTag);
    if (found == _usage.end()) return;
    found->second.unfinished -= std::min(bytes, found->second.unfinished);
    if (stored) found->second.stored += bytes;
}

FileBody S3Blobs::unnamedFile() const
{
    const int file = ::open(_folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) throw std::system_error(errno, std::generic_category(), "make a file in " + _folder.string());
    return {file, 0, {}};
}

} // namespace portico::host::platform
