#include "host/plugins/package/FileList.h"

#include "host/base/Digests.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <future>
#include <memory>
#include <set>
#include <stdexcept>
#include <system_error>

namespace portico::host::plugins
{

namespace
{
/// Stays in the processor's cache between reading and hashing or comparing.
constexpr std::size_t pieceSize = 65'536;

[[noreturn]] void fail(const std::filesystem::path& file, int error)
{
    throw std::system_error(error ? error : EIO, std::generic_category(), file.string());
}

/// A file, a piece after the other.
class Pieces
{
public:
    explicit Pieces(const std::filesystem::path& file) : _file(file), _stream(file, std::ios::binary)
    {
        if (!_stream) fail(file, errno);
    }

    /// The next piece; empty at the end. It lives until the next is asked for.
    std::string_view next()
    {
        _stream.read(_buffer.get(), pieceSize);
        if (_stream.bad()) fail(_file, EIO);
        return {_buffer.get(), static_cast<std::size_t>(_stream.gcount())};
    }

private:
    const std::filesystem::path& _file;
    std::ifstream _stream;
    std::unique_ptr<char[]> _buffer = std::make_unique_for_overwrite<char[]>(pieceSize);
};

bool sameBytes(const std::filesystem::path& one, const std::filesystem::path& other)
{
    Pieces pieces(one), there(other);
    for (;;)
    {
        const auto piece = pieces.next();
        if (piece != there.next()) return false;
        if (piece.empty()) return true;
    }
}
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
    // Written by hand, since `copy_file` does not name a full disk in its error.
    Pieces pieces(from);
    std::ofstream copy(to, std::ios::binary);
    for (auto piece = pieces.next(); !piece.empty(); piece = pieces.next())
        if (!copy.write(piece.data(), static_cast<std::streamsize>(piece.size()))) fail(to, errno);
    copy.close();
    if (!copy) fail(to, errno);
    return sha256OfFile(to);
}

std::string copyChanged(const std::filesystem::path& from, const std::filesystem::path& to)
{
    // Hashing a library takes longer than comparing it, so it runs in parallel.
    const auto policy = std::filesystem::file_size(to) > pieceSize ? std::launch::async : std::launch::deferred;
    auto hash = std::async(policy, sha256OfFile, to);
    if (sameBytes(from, to)) return hash.get();
    hash.wait();
    return copyHashed(from, to);
}

std::string sha256OfFolder(const std::filesystem::path& folder)
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
    Sha256 hash;
    for (const auto& name : names) hash.update(sha256OfFile(folder / name) + "  " + name + "\n");
    return hash.hex();
}

namespace fs = std::filesystem;

namespace
{
constexpr std::size_t maxFiles = 10'000;
constexpr int deepest = 32;
constexpr std::size_t maxFaults = 20;
constexpr std::size_t digits = 64;

/// Printable, so that a line is a line and an error text shows what is meant; any byte of UTF-8 is.
bool isNameByte(char c) { return (static_cast<unsigned char>(c) >= ' ' && c != '\x7F' && c != '\\'); }

/// A path that stays in its folder: parts with `/` between them, none of them empty, `.` or `..`.
bool isPath(std::string_view text)
{
    if (text.empty() || text.size() > 1024 || !std::ranges::all_of(text, isNameByte)) return false;
    for (;;)
    {
        const auto end = std::min(text.find('/'), text.size());
        const auto part = text.substr(0, end);
        if (part.empty() || part == "." || part == "..") return false;
        if (end == text.size()) return true;
        text.remove_prefix(end + 1);
    }
}

bool isHash(std::string_view text) { return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

[[noreturn]] void refuse(const fs::path& place, const std::string& what) { throw std::runtime_error(place.string() + ": " + what); }

} // namespace

std::vector<std::string> filesBelow(const fs::path& folder)
{
    std::vector<std::string> paths;
    std::error_code error;
    fs::path last = folder;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    {
        last = entry->path();
        const auto path = last.lexically_relative(folder).string();
        // Not followed: what a link leads to is not in the folder.
        const auto type = entry->symlink_status().type();
        if (type != fs::file_type::regular && type != fs::file_type::directory)
            refuse(last, std::string("expected files and folders only, found ") +
                             (type == fs::file_type::symlink ? "a symbolic link: put the file itself there" : "something else: remove it"));
        if (type == fs::file_type::directory && entry.depth() + 2 > deepest)
            refuse(last, "expected at most " + std::to_string(deepest) + " folders in each other, found more");
        if (type == fs::file_type::directory) continue;
        if (!isPath(path)) refuse(last, "expected a name without control characters and backslashes, found another: rename the file");
        paths.push_back(path);
        if (paths.size() > maxFiles)
            refuse(folder, "expected at most " + std::to_string(maxFiles) + " files, found more: is it a plugin's folder?");
    }
    if (error) refuse(last, "cannot be read: " + error.message() + ": check the rights of the folder");
    std::ranges::sort(paths);
    return paths;
}

FileList FileList::of(const fs::path& folder)
{
    FileList list;
    for (auto& path : filesBelow(folder))
        if (path != sumsName && path != signatureName)
        {
            auto hash = sha256OfFile(folder / path);
            list.files.emplace(std::move(path), std::move(hash));
        }
    return list;
}

FileList FileList::parse(std::string_view text)
{
    FileList list;
    std::size_t number = 0;
    const auto fault = [&](const std::string& what) { throw std::runtime_error("line " + std::to_string(number) + ": " + what); };
    std::string_view last;
    while (!text.empty())
    {
        ++number;
        const auto end = text.find('\n');
        if (end == std::string_view::npos) fault("expected a line break at the end of the list, found none: it was cut off");
        const auto line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.size() <= digits + 2 || !isHash(line.substr(0, digits)) || line.substr(digits, 2) != "  ")
            fault("expected 64 lower-case hexadecimal digits, two spaces and a path, found something else");
        const auto path = line.substr(digits + 2);
        if (!isPath(path)) fault("expected a path inside of the folder, found one that is not");
        if (path == sumsName || path == signatureName) fault("expected the other files only, found " + std::string(path));
        if (path <= last)
            fault("expected the paths in the order of their bytes, each once, found " + std::string(path) + " behind " + std::string(last));
        if (list.files.size() == maxFiles) fault("expected at most " + std::to_string(maxFiles) + " files, found more");
        last = path;
        list.files.emplace(path, line.substr(0, digits));
    }
    return list;
}

std::string FileList::text() const
{
    std::string lines;
    for (const auto& [path, hash] : files) lines.append(hash).append("  ").append(path).append("\n");
    return lines;
}

std::vector<std::string> FileList::differences(const FileList& found, const fs::path& folder) const
{
    std::vector<std::string> faults;
    const auto list = " of " + std::string(sumsName) + ", found ";
    for (const auto& [path, hash] : files)
    {
        const auto other = found.files.find(path);
        if (other == found.files.end())
            faults.push_back((folder / path).string() + ": expected the file" + list + "none");
        else if (other->second != hash)
            faults.push_back((folder / path).string() + ": expected the SHA-256 " + hash + list + other->second);
    }
    for (const auto& [path, hash] : found.files)
        if (!files.contains(path)) faults.push_back((folder / path).string() + ": expected no file beside those" + list + "this one");
    if (faults.size() > maxFaults)
    {
        const auto more = faults.size() - maxFaults;
        faults.resize(maxFaults);
        faults.push_back(folder.string() + ": and " + std::to_string(more) + " more files that are not those" +
                         list.substr(0, list.find(',')));
    }
    return faults;
}

} // namespace portico::host::plugins
