#include "host/plugins/FileHash.h"

#include "host/digest/Sha256.h"

#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

namespace portico::host::plugins
{

std::string sha256OfText(std::string_view text) { return digest::sha256Hex(text); }

std::string sha256OfFile(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::system_error(errno, std::generic_category(), file.string());
    digest::Sha256 hash;
    std::vector<char> buffer(65'536);
    while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || stream.gcount() > 0)
        hash.update({buffer.data(), static_cast<std::size_t>(stream.gcount())});
    if (stream.bad()) throw std::system_error(EIO, std::generic_category(), file.string());
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
