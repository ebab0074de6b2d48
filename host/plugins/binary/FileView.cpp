#include "host/plugins/binary/FileView.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::plugins
{

namespace
{

[[noreturn]] void failToView(const std::filesystem::path& file) { throw std::system_error(errno, std::generic_category(), file.string()); }

struct Descriptor
{
    int number;
    ~Descriptor()
    {
        if (number >= 0) ::close(number);
    }
};

} // namespace

FileView::FileView(const std::filesystem::path& file)
{
    const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat facts
    {
    };
    if (descriptor.number < 0 || ::fstat(descriptor.number, &facts) != 0) failToView(file);
    _size = static_cast<std::size_t>(facts.st_size);
    // Nothing can be mapped of an empty file.
    if (_size == 0) return;
    _start = ::mmap(nullptr, _size, PROT_READ, MAP_PRIVATE, descriptor.number, 0);
    if (_start == MAP_FAILED) failToView(file);
}

FileView::~FileView()
{
    if (_start) ::munmap(_start, _size);
}

} // namespace portico::host::plugins
