#include "text/DomainName.h"

#include "portico/Text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace portico::crm
{

namespace
{

// Parameters of RFC 3492, section 5.
constexpr std::uint32_t base = 36, smallestThreshold = 1, largestThreshold = 26, skew = 38, damp = 700, firstBias = 72, firstCode = 128;

std::optional<std::vector<std::uint32_t>> codePoints(std::string_view text)
{
    std::vector<std::uint32_t> points;
    while (!text.empty())
    {
        utf8proc_int32_t c = -1;
        const auto size =
            utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &c);
        if (size <= 0) return std::nullopt;
        points.push_back(static_cast<std::uint32_t>(c));
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return points;
}

char digit(std::uint32_t value) { return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26)); }

std::uint32_t adapt(std::uint32_t delta, std::uint32_t count, bool first)
{
    delta = first ? delta / damp : delta / 2;
    delta += delta / count;
    std::uint32_t k = 0;
    for (; delta > ((base - smallestThreshold) * largestThreshold) / 2; k += base) delta /= base - smallestThreshold;
    return k + (base - smallestThreshold + 1) * delta / (delta + skew);
}

void appendVariableLength(std::string& out, std::uint32_t value, std::uint32_t bias)
{
    for (std::uint32_t k = base;; k += base)
    {
        const auto threshold = k <= bias ? smallestThreshold : std::min(k - bias, largestThreshold);
        if (value < threshold) break;
        out += digit(threshold + (value - threshold) % (base - threshold));
        value = (value - threshold) / (base - threshold);
    }
    out += digit(value);
}

/// Replaces the alternative dots of IDNA.
std::string withPlainDots(std::string text)
{
    for (const std::string_view dot : {"\u3002", "\uff0e", "\uff61"})
        for (auto at = text.find(dot); at != std::string::npos; at = text.find(dot)) text.replace(at, dot.size(), 1, '.');
    return text;
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<std::string> asciiLabel(std::string_view label)
{
    constexpr std::size_t longest = 63;
    std::string ascii(label);
    if (!isAscii(label))
    {
        const auto encoded = punycode(label);
        if (!encoded) return std::nullopt;
        ascii = "xn--" + *encoded;
    }
    if (ascii.empty() || ascii.size() > longest) return std::nullopt;
    return ascii;
}

} // namespace

std::optional<std::string> punycode(std::string_view label)
{
    // Longer input cannot fit a label, and so nothing below can overflow.
    constexpr std::size_t longestInput = 255;
    const auto points = codePoints(label);
    if (!points || points->size() > longestInput) return std::nullopt;
    std::string out;
    for (const auto c : *points)
        if (c < firstCode) out += static_cast<char>(c);
    const auto basic = static_cast<std::uint32_t>(out.size());
    if (basic > 0) out += '-';

    std::uint32_t code = firstCode, delta = 0, bias = firstBias, handled = basic;
    while (handled < points->size())
    {
        auto next = std::numeric_limits<std::uint32_t>::max();
        for (const auto c : *points)
            if (c >= code) next = std::min(next, c);
        delta += (next - code) * (handled + 1);
        code = next;
        for (const auto c : *points)
        {
            if (c < code) ++delta;
            if (c != code) continue;
            appendVariableLength(out, delta, bias);
            bias = adapt(delta, handled + 1, handled == basic);
            delta = 0;
            ++handled;
        }
        ++delta;
        ++code;
    }
    return out;
}

std::optional<std::string> asciiDomain(std::string_view domain)
{
    constexpr std::size_t longest = 253;
    const std::string mapped = foldCase(withPlainDots(std::string(domain)));
    std::string out;
    std::string_view rest = mapped;
    while (true)
    {
        const auto dot = rest.find('.');
        const auto label = asciiLabel(rest.substr(0, dot));
        if (!label) return std::nullopt;
        out += *label;
        if (dot == std::string_view::npos) break;
        out += '.';
        rest.remove_prefix(dot + 1);
    }
    if (out.size() > longest) return std::nullopt;
    return out;
}

} // namespace portico::crm
