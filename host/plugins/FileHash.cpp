#include "host/plugins/FileHash.h"

#include "host/digest/Sha256.h"

#include <cerrno>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <system_error>

namespace portico::host::plugins
{

namespace
{
/// Stays in the processor's cache between reading, writing and hashing.
constexpr std::size_t chunk = 65'536;

[[noreturn]] void fail(const std::filesystem::path& file, int error)
{
    throw std::system_error(error ? error : EIO, std::generic_category(), file.string());
}

/// Hands a file to `take`, a piece after the other.
void readPieces(const std::filesystem::path& file, const auto& take)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail(file, errno);
    const auto buffer = std::make_unique_for_overwrite<char[]>(chunk);
    while (stream.read(buffer.get(), chunk) || stream.gcount() > 0)
        take(std::span<const char>(buffer.get(), static_cast<std::size_t>(stream.gcount())));
    if (stream.bad()) fail(file, EIO);
}
} // namespace

std::string sha256OfText(std::string_view text) { return digest::sha256Hex(text); }

std::string sha256OfFile(const std::filesystem::path& file)
{
    digest::Sha256 hash;
    readPieces(file, [&](auto piece) { hash.update(piece); });
    return hash.hex();
}

std::string copyHashed(const std::filesystem::path& from, const std::filesystem::path& to)
{
    std::ofstream copy(to, std::ios::binary);
    digest::Sha256 hash;
    readPieces(from,
               [&](auto piece)
               {
                   if (!copy.write(piece.data(), static_cast<std::streamsize>(piece.size()))) fail(to, errno);
                   hash.update(piece);
               });
    copy.close();
    if (!copy) fail(to, errno);
    return hash.hex();
}

std::string sha256OfFolder(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
    digest::Sha256 hash;
    for (const auto& name : names) hash.update(sha256OfFile(folder / name) + "  " + name + "\n");
    return hash.hex();
}

} // namespace portico::host::plugins
