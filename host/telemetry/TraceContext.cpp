#include "host/telemetry/TraceContext.h"

#include "host/base/Digests.h"
#include "host/base/Text.h"

#include <algorithm>
#include <span>

namespace portico::host::telemetry
{

namespace
{

constexpr std::size_t traceIdAt = 3;
constexpr std::size_t spanIdAt = 36;
constexpr std::size_t flagsAt = 53;
constexpr std::size_t length = 55;
constexpr std::size_t maxStateMembers = 32;
constexpr std::size_t maxStateLength = 512;

int digit(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// False for anything but lower-case digits.
bool read(std::string_view text, std::span<unsigned char> bytes) noexcept
{
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        const int high = digit(text[2 * i]);
        const int low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        bytes[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return true;
}

bool allZero(std::span<const unsigned char> bytes) noexcept
{
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0; });
}

bool isKeyPart(std::string_view text, std::size_t longest, bool mayBeginWithDigit) noexcept
{
    if (text.empty() || text.size() > longest) return false;
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-*/";
    const auto beginnings = allowed.substr(0, mayBeginWithDigit ? 36 : 26);
    return beginnings.find(text.front()) != beginnings.npos && text.find_first_not_of(allowed) == text.npos;
}

bool isKey(std::string_view key) noexcept
{
    const auto at = key.find('@');
    if (at == std::string_view::npos) return isKeyPart(key, 256, false);
    return isKeyPart(key.substr(0, at), 241, true) && isKeyPart(key.substr(at + 1), 14, false);
}

bool isValue(std::string_view value) noexcept
{
    return !value.empty() && value.size() <= 256 && value.back() != ' ' &&
           std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c <= 0x7E && c != ',' && c != '='; });
}

} // namespace

std::optional<TraceContext> parseTraceparent(std::string_view text) noexcept
{
    if (text.size() < length || text[2] != '-' || text[spanIdAt - 1] != '-' || text[flagsAt - 1] != '-') return std::nullopt;
    std::array<unsigned char, 1> version{};
    std::array<unsigned char, 1> flags{};
    TraceContext context;
    if (!read(text, version) || !read(text.substr(traceIdAt), context.traceId) || !read(text.substr(spanIdAt), context.spanId) ||
        !read(text.substr(flagsAt), flags))
        return std::nullopt;
    if (version[0] == 0xFF || allZero(context.traceId) || allZero(context.spanId)) return std::nullopt;
    if (text.size() > length && (version[0] == 0 || text[length] != '-')) return std::nullopt;
    context.sampled = (flags[0] & 1U) != 0;
    return context;
}

std::string toTraceparent(const TraceContext& context)
{
    return "00-" + toHex(context.traceId) + '-' + toHex(context.spanId) + (context.sampled ? "-01" : "-00");
}

bool isTracestate(std::string_view text) noexcept
{
    if (text.empty() || text.size() > maxStateLength) return false;
    std::array<std::string_view, maxStateMembers> keys;
    std::size_t count = 0;
    for (bool more = true; more;)
    {
        const auto comma = text.find(',');
        const auto member = trimmed(text.substr(0, comma));
        more = comma != std::string_view::npos;
        if (more) text.remove_prefix(comma + 1);
        // An empty member is allowed, and none.
        if (member.empty()) continue;
        const auto equals = member.find('=');
        if (equals == std::string_view::npos || count == maxStateMembers) return false;
        const auto key = member.substr(0, equals);
        auto* const known = keys.data() + count;
        if (!isKey(key) || !isValue(member.substr(equals + 1)) || std::find(keys.data(), known, key) != known) return false;
        keys[count++] = key;
    }
    return count > 0;
}

std::string toHex(std::span<const unsigned char> id) { return host::toHex({reinterpret_cast<const char*>(id.data()), id.size()}); }

bool isZero(const SpanId& id) noexcept { return allZero(id); }

} // namespace portico::host::telemetry
