#include "host/plugins/package/FileHash.h"

#include "host/base/Digests.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <span>
#include <system_error>

namespace portico::host::plugins
{

namespace
{
/// Stays in the processor's cache between reading, writing and hashing, and is worth a hand-over to another thread.
constexpr std::uintmax_t largestPiece = 524'288;

[[noreturn]] void fail(const std::filesystem::path& file, int error)
{
    throw std::system_error(error ? error : EIO, std::generic_category(), file.string());
}

std::size_t pieceOf(const std::filesystem::path& file)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error) fail(file, error.value());
    return static_cast<std::size_t>(std::clamp(size, std::uintmax_t(1), largestPiece));
}

/// A file, a piece after the other.
class Pieces
{
public:
    explicit Pieces(const std::filesystem::path& file) : _file(file), _stream(file, std::ios::binary), _size(pieceOf(file))
    {
        if (!_stream) fail(file, errno);
    }

    /// The next piece; empty at the end. It lives until the one after the next is asked for.
    std::span<const char> next()
    {
        auto& buffer = _buffers[_turn];
        _turn = 1 - _turn;
        if (!buffer) buffer = std::make_unique_for_overwrite<char[]>(_size);
        _stream.read(buffer.get(), static_cast<std::streamsize>(_size));
        if (_stream.bad()) fail(_file, EIO);
        return {buffer.get(), static_cast<std::size_t>(_stream.gcount())};
    }

private:
    const std::filesystem::path& _file;
    std::ifstream _stream;
    std::size_t _size;
    std::array<std::unique_ptr<char[]>, 2> _buffers;
    std::size_t _turn = 0;
};
} // namespace

std::string sha256OfFile(const std::filesystem::path& file)
{
    Sha256 hash;
    Pieces pieces(file);
    for (auto piece = pieces.next(); !piece.empty(); piece = pieces.next()) hash.update(piece);
    return hash.hex();
}

std::string copyHashed(const std::filesystem::path& from, const std::filesystem::path& to)
{
    Pieces pieces(from);
    std::ofstream copy(to, std::ios::binary);
    Sha256 hash;
    std::future<void> hashed;
    for (auto piece = pieces.next(); !piece.empty(); piece = pieces.next())
    {
        if (hashed.valid()) hashed.get();
        // Hashing takes longer than the rest: of a library it goes on while the piece is written and the next one is read.
        const auto policy = piece.size() == largestPiece ? std::launch::async : std::launch::deferred;
        hashed = std::async(policy, [&hash, piece] { hash.update(piece); });
        if (!copy.write(piece.data(), static_cast<std::streamsize>(piece.size()))) fail(to, errno);
    }
    if (hashed.valid()) hashed.get();
    copy.close();
    if (!copy) fail(to, errno);
    return hash.hex();
}

std::string sha256OfFolder(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
    Sha256 hash;
    for (const auto& name : names) hash.update(sha256OfFile(folder / name) + "  " + name + "\n");
    return hash.hex();
}

} // namespace portico::host::plugins
