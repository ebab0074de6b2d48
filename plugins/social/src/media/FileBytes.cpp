#include "media/FileBytes.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

#include <sys/mman.h>
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

std::string sha256Of(const FileBody& file)
{
    if (file.size == 0) return sha256("").hex();
    const auto length = static_cast<std::size_t>(file.size);
    void* const bytes = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
    if (bytes == MAP_FAILED) throw Problem::internal();
    auto digest = sha256(std::string_view(static_cast<const char*>(bytes), length)).hex();
    ::munmap(bytes, length);
    return digest;
}

void copyFile(const FileBody& file, Blobs::Writer& writer)
{
    for (std::uint64_t at = 0; at < file.size; at += fileCopyPiece) writer.write(readAt(file, at, fileCopyPiece));
}

} // namespace portico::social
