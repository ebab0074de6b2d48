#include "media/FileBytes.h"

#include "portico/Problem.h"

#include <algorithm>

#include <unistd.h>

namespace portico::social
{

namespace
{
constexpr std::size_t fileCopyPiece = 256 << 10;
} // namespace

std::string readAt(const FileBody& file, std::uint64_t at, std::size_t length)
{
    std::string bytes(std::min<std::uint64_t>(length, at < file.size ? file.size - at : 0), '\0');
    std::size_t filled = 0;
    while (filled < bytes.size())
    {
        const auto count = ::pread(file.descriptor, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(at + filled));
        if (count <= 0) throw Problem::internal();
        filled += static_cast<std::size_t>(count);
    }
    return bytes;
}

void copyFile(const FileBody& file, Blobs::Writer& writer)
{
    for (std::uint64_t at = 0; at < file.size; at += fileCopyPiece) writer.write(readAt(file, at, fileCopyPiece));
}

} // namespace portico::social
