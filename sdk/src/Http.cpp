#include "portico/Http.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portico
{

namespace
{

constexpr std::array<std::string_view, 7> methodNames{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

constexpr std::pair<int, std::string_view> reasons[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

/// Suffix that proxies append to an entity tag when they compress: one or two separators and a coding.
bool isCodingSuffix(std::string_view text) noexcept
{
    constexpr std::string_view marks = "-;+:_/.";
    constexpr std::array<std::string_view, 8> codings{"gzip", "x-gzip", "br", "brotli", "deflate", "zstd", "zst", "df"};
    const auto start = text.find_first_not_of(marks);
    if (start == 0 || start > 2 || start == std::string_view::npos) return false;
    return std::ranges::any_of(codings, [&](std::string_view coding) { return equalsIgnoreCase(text.substr(start), coding); });
}

std::string_view withoutWeakMark(std::string_view tag) noexcept { return tag.starts_with("W/") ? tag.substr(2) : tag; }

} // namespace

std::string_view name(Method method) noexcept { return methodNames[static_cast<std::size_t>(method)]; }

std::optional<Method> parseMethod(std::string_view text) noexcept
{
    const auto found = std::find(methodNames.begin(), methodNames.end(), text);
    if (found == methodNames.end()) return std::nullopt;
    return static_cast<Method>(found - methodNames.begin());
}

std::string_view reason(int status) noexcept
{
    const auto found =
        std::lower_bound(std::begin(reasons), std::end(reasons), status, [](const auto& entry, int code) { return entry.first < code; });
    return found != std::end(reasons) && found->first == status ? found->second : std::string_view("Status");
}

bool sameEntityTag(std::string_view sent, std::string_view tag) noexcept
{
    if (sent == tag) return true;
    if (tag.size() < 2 || tag.back() != '"') return false;
    // Up to its last quote. An older Apache appends the coding behind it.
    const auto begin = tag.substr(0, tag.size() - 1);
    if (!sent.starts_with(begin)) return false;
    auto rest = sent.substr(begin.size());
    if (rest.starts_with('"'))
        rest.remove_prefix(1);
    else if (rest.ends_with('"'))
        rest.remove_suffix(1);
    else
        return false;
    return isCodingSuffix(rest);
}

bool namesEntityTag(std::string_view list, std::string_view tag) noexcept
{
    tag = withoutWeakMark(tag);
    if (tag.empty()) return false;
    if (trim(list) == "*") return true;
    // Tags may contain commas, so the list is cut at quotes.
    while (true)
    {
        const auto begin = list.find('"');
        const auto end = begin == std::string_view::npos ? begin : list.find('"', begin + 1);
        if (end == std::string_view::npos) return false;
        if (sameEntityTag(list.substr(begin, end - begin + 1), tag)) return true;
        list.remove_prefix(end + 1);
    }
}

bool equalsIgnoreCase(std::string_view left, std::string_view right) noexcept
{
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) { return a == b || lower(a) == lower(b); });
}

} // namespace portico
