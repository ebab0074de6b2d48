#include "exports/TemporaryText.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace portico::crm
{

namespace
{

constexpr std::size_t keptInMemory = std::size_t{256} * 1024;

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category(), "temporary file"); }

int makeUnnamedFile()
{
    auto path = std::filesystem::temp_directory_path().string();
    int descriptor = ::open(path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
    // Not every file system has O_TMPFILE.
    path += "/portico-XXXXXX";
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) fail();
    ::unlink(path.c_str());
    return descriptor;
}

} // namespace

TemporaryText::~TemporaryText()
{
    if (_descriptor >= 0) ::close(_descriptor);
}

void TemporaryText::append(std::string_view text)
{
    _memory += text;
    if (_memory.size() > keptInMemory) writeOut();
}

void TemporaryText::writeOut()
{
    if (_descriptor < 0) _descriptor = makeUnnamedFile();
    for (std::size_t written = 0; written < _memory.size();)
    {
        const auto count = ::pwrite(_descriptor, _memory.data() + written, _memory.size() - written, static_cast<off_t>(_size));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) fail();
        written += static_cast<std::size_t>(count);
        _size += static_cast<std::uint64_t>(count);
    }
    _memory.clear();
}

bool TemporaryText::read(std::string& out, std::size_t wanted)
{
    if (_taken < _size)
    {
        const auto start = out.size();
        out.resize(start + static_cast<std::size_t>(std::min<std::uint64_t>(wanted, _size - _taken)));
        const auto count = ::pread(_descriptor, out.data() + start, out.size() - start, static_cast<off_t>(_taken));
        if (count <= 0) fail();
        out.resize(start + static_cast<std::size_t>(count));
        _taken += static_cast<std::uint64_t>(count);
    }
    else
    {
        const auto at = static_cast<std::size_t>(_taken - _size);
        out.append(_memory, at, wanted);
        _taken += std::min(wanted, _memory.size() - at);
    }
    return _taken < _size + _memory.size();
}

} // namespace portico::crm
