#include "imports/ImportFiles.h"

#include <cerrno>
#include <system_error>

#include <unistd.h>

namespace portico::crm
{

std::size_t BlobImportFile::read(std::uint64_t offset, std::span<char> buffer)
{
    for (;;)
    {
        const auto got = ::pread(_body.descriptor, buffer.data(), buffer.size(), static_cast<off_t>(offset));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "a file that is imported cannot be read");
    }
}

} // namespace portico::crm
