#include "host/http/StaticFiles.h"

#include "host/http/Characters.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace portico::host::http
{

namespace
{

constexpr std::pair<std::string_view, std::string_view> types[] = {
    {"css", "text/css; charset=utf-8"},
    {"gif", "image/gif"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/x-icon"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"txt", "text/plain; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff2", "font/woff2"},
    {"xml", "application/xml"},
};

std::string_view lastSegment(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

std::string_view extension(std::string_view path) noexcept
{
    const auto segment = lastSegment(path);
    const auto dot = segment.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : segment.substr(dot + 1);
}

std::string_view contentType(std::string_view path) noexcept
{
    const auto wanted = extension(path);
    const auto found = std::ranges::find(types, wanted, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(types) ? "application/octet-stream" : found->second;
}

/// Undoes percent-encoding. Empty for a path that names nothing in a directory: encoded slashes, empty or dot segments, control characters.
std::optional<std::string> decodedPath(std::string_view encoded)
{
    std::string path;
    for (std::size_t i = 0; i < encoded.size(); ++i)
    {
        char c = encoded[i];
        if (c == '%')
        {
            if (i + 2 >= encoded.size()) return std::nullopt;
            c = static_cast<char>(hexDigit(encoded[i + 1]) * 16 + hexDigit(encoded[i + 2]));
            i += 2;
            if (c == '/' || !is(c, octet::fieldValue)) return std::nullopt;
        }
        path += c;
    }
    if (!path.starts_with('/') || path.find("//") != std::string::npos || path.find("/./") != std::string::npos ||
        path.find("/../") != std::string::npos || path.ends_with("/.") || path.ends_with("/.."))
        return std::nullopt;
    if (path.ends_with('/')) path += "index.html";
    return path;
}

std::string hexadecimal(std::uint64_t value)
{
    std::array<char, 16> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr};
}

std::string entityTag(const struct stat& status, std::string_view suffix)
{
    const auto modified =
        static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    return '"' + hexadecimal(size) + '-' + hexadecimal(modified) + std::string(suffix) + '"';
}

} // namespace

StaticFiles::StaticFiles(const std::string& root) : _root(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
{
    if (!_root) throw std::system_error(errno, std::generic_category(), "cannot open the directory of static files " + root);
}

bool StaticFiles::serve(const Request& request, std::string_view encoded, Response& response) const
{
    if (request.method != Method::Get && request.method != Method::Head) return false;
    const auto path = decodedPath(encoded);
    if (!path) return false;
    Found found = find(request, *path);
    if (!found.file) return false;
    if (found.coding != ContentCoding::Identity) response.addHeader("Content-Encoding", name(found.coding));
    response.status = 200;
    response.contentType = contentType(*path);
    response.cacheControl = hasContentHash(*path) ? "public, max-age=31536000, immutable" : "no-cache";
    response.etag = entityTag(found.status, found.suffix);
    response.addHeader("Vary", "Accept-Encoding");
    const auto modified = fromMillis(static_cast<std::int64_t>(found.status.st_mtim.tv_sec) * 1000);
    response.file.emplace(found.file.release(), static_cast<std::uint64_t>(found.status.st_size), modified);
    return true;
}

bool StaticFiles::hasContentHash(std::string_view path) noexcept
{
    auto stem = lastSegment(path);
    stem = stem.substr(0, stem.size() - extension(path).size());
    if (stem.ends_with('.')) stem.remove_suffix(1);
    // In a bundler's folder any eight characters behind a hyphen are one, hyphens among them.
    const bool bundled = path.find("assets/") != std::string_view::npos && stem.size() > 9 && stem[stem.size() - 9] == '-';
    if (bundled && all(stem.substr(stem.size() - 8), octet::token)) return true;
    const auto mark = stem.find_last_of("-.");
    if (mark == std::string_view::npos || mark == 0) return false;
    const auto hash = stem.substr(mark + 1);
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    return hash.size() >= 8 && all(hash, octet::token) && std::any_of(hash.begin(), hash.end(), isDigit);
}

StaticFiles::Found StaticFiles::find(const Request& request, std::string_view path) const
{
    const AcceptedCodings accepted(request);
    struct Form
    {
        int weight;
        ContentCoding coding;
        std::string_view suffix;
    };
    std::array<Form, 3> forms{
        {{accepted.brotli, ContentCoding::Brotli, ".br"}, {accepted.gzip, ContentCoding::Gzip, ".gz"}, {1, ContentCoding::Identity, ""}}};
    if (accepted.gzip > accepted.brotli) std::swap(forms[0], forms[1]);
    const auto folder = openFolder(path);
    if (!folder) return {};
    const int parent = *folder ? folder->get() : _root.get();
    for (const auto& [weight, coding, suffix] : forms)
    {
        if (weight == 0) continue;
        const auto name = std::string(lastSegment(path)).append(suffix);
        Found found{FileDescriptor(::openat(parent, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)), {}, coding, suffix};
        if (found.file && ::fstat(found.file.get(), &found.status) == 0 && S_ISREG(found.status.st_mode)) return found;
    }
    return {};
}

/// Segment by segment, so that no symbolic link on the way leads out of the directory.
std::optional<FileDescriptor> StaticFiles::openFolder(std::string_view path) const
{
    FileDescriptor folder;
    path.remove_prefix(1);
    for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/'))
    {
        const std::string segment(path.substr(0, slash));
        FileDescriptor next(::openat(folder ? folder.get() : _root.get(), segment.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next) return std::nullopt;
        folder = std::move(next);
        path.remove_prefix(slash + 1);
    }
    return folder;
}

} // namespace portico::host::http
