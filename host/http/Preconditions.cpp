#include "host/http/Preconditions.h"

#include "host/http/Characters.h"
#include "host/http/HttpDate.h"

#include <algorithm>
#include <charconv>

namespace portico::host::http
{

namespace
{

std::string_view opaque(std::string_view tag) noexcept { return tag.starts_with("W/") ? tag.substr(2) : tag; }

/// Weak comparison with every tag of a list. Tags may hold commas, so the list is cut at quotes.
bool listHolds(std::string_view list, std::string_view tag) noexcept
{
    if (trimmed(list) == "*") return true;
    while (true)
    {
        const auto begin = list.find('"');
        const auto end = begin == std::string_view::npos ? begin : list.find('"', begin + 1);
        if (end == std::string_view::npos) return false;
        if (list.substr(begin, end - begin + 1) == tag) return true;
        list.remove_prefix(end + 1);
    }
}

std::time_t seconds(Instant instant) noexcept { return std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count(); }

bool ifRangeHolds(const Request& request, const Response& response)
{
    const auto condition = request.header("If-Range");
    if (condition.empty()) return true;
    if (condition.ends_with('"')) return condition == response.etag && !condition.starts_with("W/");
    const auto date = parseHttpDate(condition);
    return date && response.file->modified != Instant{} && *date == seconds(response.file->modified);
}

std::optional<std::uint64_t> byteNumber(std::string_view text) noexcept
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

ByteRange part(std::uint64_t first, std::uint64_t length) noexcept
{
    if (length == 0) return {.answer = ByteRange::Answer::Unsatisfiable};
    return {ByteRange::Answer::Part, first, length};
}

/// One of `first-last`, `first-` and `-count`.
ByteRange parseRange(std::string_view text, std::uint64_t size)
{
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return {};
    const auto first = byteNumber(text.substr(0, dash));
    const auto last = byteNumber(text.substr(dash + 1));
    if (dash == 0)
    {
        if (!last) return {};
        const auto count = std::min(*last, size);
        return part(size - count, count);
    }
    if (!first || (!last && dash + 1 < text.size()) || (last && *last < *first)) return {};
    if (*first >= size) return {.answer = ByteRange::Answer::Unsatisfiable};
    return part(*first, last ? std::min(*last, size - 1) - *first + 1 : size - *first);
}

} // namespace

bool isNotModified(const Request& request, const Response& response)
{
    if (request.hasHeader("If-None-Match"))
        return !response.etag.empty() && listHolds(request.header("If-None-Match"), opaque(response.etag));
    if (!response.file || response.file->modified == Instant{}) return false;
    const auto since = parseHttpDate(request.header("If-Modified-Since"));
    return since && seconds(response.file->modified) <= *since;
}

ByteRange requestedRange(const Request& request, const Response& response)
{
    constexpr std::string_view unit = "bytes=";
    const auto range = request.header("Range");
    if (!equalsIgnoreCase(range.substr(0, unit.size()), unit) || range.find(',') != std::string_view::npos) return {};
    if (!ifRangeHolds(request, response)) return {};
    return parseRange(trimmed(range.substr(unit.size())), response.file->size);
}

} // namespace portico::host::http
