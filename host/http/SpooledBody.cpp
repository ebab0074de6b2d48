#include "host/http/SpooledBody.h"

#include "portico/Problem.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>

namespace portico::host::http
{

namespace
{

[[noreturn]] void failToSpool(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

FileDescriptor makeUnlinkedFile(const std::string& directory)
{
    FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    // Not every file system has O_TMPFILE.
    std::string path = directory + "/upload-XXXXXX";
    file = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (!file) failToSpool("cannot make a file in the spool directory " + directory);
    ::unlink(path.c_str());
    return file;
}

} // namespace

void SpooledBody::spill(const std::string& directory)
{
    if (!_file) _file = makeUnlinkedFile(directory);
    std::size_t written = 0;
    while (written < pending.size())
    {
        const auto count =
            ::pwrite(_file.get(), pending.data() + written, pending.size() - written, static_cast<off_t>(_fileBytes + written));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) failToSpool("cannot write to the spool directory " + directory);
        written += static_cast<std::size_t>(count);
    }
    _fileBytes += written;
    pending.clear();
}

void SpooledBody::clear() noexcept
{
    _file.close();
    _fileBytes = 0;
    pending.clear();
}

std::size_t SpooledBody::read(std::uint64_t offset, std::span<char> buffer) const
{
    if (offset < _fileBytes)
    {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), _fileBytes - offset));
        const auto count = ::pread(_file.get(), buffer.data(), wanted, static_cast<off_t>(offset));
        if (count < 0) throw Problem::internal();
        return static_cast<std::size_t>(count);
    }
    const auto at = offset - _fileBytes;
    if (at >= pending.size()) return 0;
    const auto count = std::min(buffer.size(), pending.size() - static_cast<std::size_t>(at));
    std::memcpy(buffer.data(), pending.data() + at, count);
    return count;
}

} // namespace portico::host::http
