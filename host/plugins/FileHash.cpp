#include "host/plugins/FileHash.h"

#include <openssl/evp.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace portico::host::plugins
{

namespace
{
class Sha256
{
public:
    Sha256() : _context(EVP_MD_CTX_new(), &EVP_MD_CTX_free)
    {
        if (!_context || EVP_DigestInit_ex(_context.get(), EVP_sha256(), nullptr) != 1)
            throw std::runtime_error("SHA-256 is not available");
    }

    void add(std::string_view data) { EVP_DigestUpdate(_context.get(), data.data(), data.size()); }

    std::string finish()
    {
        static constexpr char digits[] = "0123456789abcdef";
        unsigned char bytes[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        EVP_DigestFinal_ex(_context.get(), bytes, &size);
        std::string text;
        for (unsigned i = 0; i < size; ++i)
        {
            text += digits[bytes[i] >> 4];
            text += digits[bytes[i] & 15];
        }
        return text;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> _context;
};
} // namespace

std::string sha256OfText(std::string_view text)
{
    Sha256 hash;
    hash.add(text);
    return hash.finish();
}

std::string sha256OfFile(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::system_error(errno, std::generic_category(), file.string());
    Sha256 hash;
    std::vector<char> buffer(65'536);
    while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || stream.gcount() > 0)
        hash.add({buffer.data(), static_cast<std::size_t>(stream.gcount())});
    if (stream.bad()) throw std::system_error(EIO, std::generic_category(), file.string());
    return hash.finish();
}

std::string sha256OfFolder(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
    Sha256 hash;
    for (const auto& name : names) hash.add(sha256OfFile(folder / name) + "  " + name + "\n");
    return hash.finish();
}

} // namespace portico::host::plugins
