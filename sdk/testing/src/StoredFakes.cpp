#include "host/platform/blobs/FileBlobs.h"
#include "host/platform/state/MemoryStateStore.h"

#include "portico/testing/FakeBlobs.h"
#include "portico/testing/FakeStateStore.h"
#include "portico/testing/TemporaryDirectory.h"

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

namespace portico::testing
{

FakeStateStore::FakeStateStore(const Clock& clock) : _store(std::make_unique<host::platform::MemoryStateStore>(clock)) {}
FakeStateStore::FakeStateStore(const Clock& clock, std::size_t limitBytes)
    : _store(std::make_unique<host::platform::MemoryStateStore>(clock, limitBytes))
{
}
FakeStateStore::~FakeStateStore() = default;

void FakeStateStore::limit(std::string_view use, std::uint64_t bytes) { _store->limit(use, bytes); }
std::size_t FakeStateStore::entryCount() const { return _store->entryCount(); }

std::size_t FakeStateStore::usedBytes() const { return _store->usedBytes(); }

std::optional<StateStore::Entry> FakeStateStore::get(std::string_view key) { return _store->get(key); }

void FakeStateStore::put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive)
{
    _store->put(key, value, timeToLive);
}

bool FakeStateStore::compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                                   std::chrono::milliseconds timeToLive)
{
    return _store->compareAndSet(key, expectedVersion, value, timeToLive);
}

bool FakeStateStore::remove(std::string_view key) { return _store->remove(key); }

std::optional<std::string> FakeStateStore::take(std::string_view key) { return _store->take(key); }

std::int64_t FakeStateStore::add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive)
{
    return _store->add(key, amount, timeToLive);
}

void FakeStateStore::withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work)
{
    _store->withLock(key, timeout, work);
}

TemporaryDirectory::TemporaryDirectory() : TemporaryDirectory(std::filesystem::temp_directory_path()) {}

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent)
{
    auto name = (parent / "portico-testing-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "make a folder like " + name);
    _path = name;
}

TemporaryDirectory::~TemporaryDirectory()
{
    std::error_code ignored;
    std::filesystem::remove_all(_path, ignored);
}

FakeBlobs::FakeBlobs(std::uint64_t quotaBytesPerScope)
    : _blobs(std::make_unique<host::platform::FileBlobs>(_directory.path(), quotaBytesPerScope))
{
}

FakeBlobs::~FakeBlobs() = default;

std::unique_ptr<Blobs::Writer> FakeBlobs::create(std::string_view scope) { return _blobs->create(scope); }

std::optional<FileBody> FakeBlobs::open(std::string_view key) { return _blobs->open(key); }

bool FakeBlobs::remove(std::string_view key) { return _blobs->remove(key); }

std::uint64_t FakeBlobs::usedBytes(std::string_view scope) { return _blobs->usedBytes(scope); }

std::optional<std::string> FakeBlobs::downloadUrl(std::string_view key, const Download& download)
{
    if (!_offersUrls) return std::nullopt;
    return "https://blobs.example/" + std::string(key) + "?lifetime=" + std::to_string(download.lifetime.count()) +
           "&type=" + download.contentType;
}

std::optional<Blobs::UploadUrl> FakeBlobs::uploadUrl(std::string_view scope, std::uint64_t size, std::string_view contentType,
                                                     std::chrono::seconds lifetime)
{
    if (!_offersUrls) return std::nullopt;
    auto writer = create(scope);
    UploadUrl upload{writer->key(), *downloadUrl(writer->key(), {lifetime, std::string(contentType), {}})};
    const std::lock_guard lock(_mutex);
    _uploads.emplace(upload.key, std::pair(std::move(writer), size));
    return upload;
}

void FakeBlobs::upload(const std::string& key, std::string_view text)
{
    const std::lock_guard lock(_mutex);
    const auto found = _uploads.find(key);
    if (found == _uploads.end() || found->second.second != text.size()) throw std::invalid_argument("FakeBlobs: no upload of this size");
    found->second.first->write(text);
    found->second.first->commit();
    _uploads.erase(found);
}

std::string FakeBlobs::store(std::string_view scope, std::string_view text)
{
    const auto writer = create(scope);
    writer->write(text);
    return writer->commit().key;
}

std::optional<std::string> FakeBlobs::text(std::string_view key)
{
    const auto file = open(key);
    if (!file) return std::nullopt;
    std::string text(static_cast<std::size_t>(file->size), '\0');
    if (::pread(file->descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        throw std::runtime_error("a blob cannot be read");
    return text;
}

} // namespace portico::testing
