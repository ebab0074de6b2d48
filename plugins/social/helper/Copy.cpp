#include "Copy.h"

#include "Encoders.h"
#include "Fail.h"
#include "Shrinker.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace images
{

namespace
{
constexpr std::array qualities = {85, 75, 62};
constexpr int maxRounds = 8;
constexpr double roundScale = 0.75;

template <class Number>
void readNumber(std::string_view text, Number& value)
{
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < 0) fail("usage");
}

void readOption(std::string_view option, CopyLimits& limits)
{
    const auto equals = option.find('=');
    const auto name = option.substr(0, equals);
    const auto value = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
    std::int64_t bytes = 0;
    if (name == "edge")
        readNumber(value, limits.edge);
    else if (name == "pixels")
        readNumber(value, limits.pixels);
    else if (name == "bytes")
        readNumber(value, bytes), limits.bytes = static_cast<std::uint64_t>(bytes);
    else if (name == "types")
        limits.types = value;
    else
        fail("usage");
}

bool fits(const CopyLimits& limits, const std::string& bytes) { return limits.bytes == 0 || bytes.size() <= limits.bytes; }

Pixels smaller(const Pixels& pixels)
{
    return shrunk(pixels, std::max(1, static_cast<int>(pixels.width * roundScale)),
                  std::max(1, static_cast<int>(pixels.height * roundScale)));
}

/// Transparent pictures keep their alpha where a format with alpha is allowed.
Copy encodeTransparent(const CopyLimits& limits, Pixels pixels, const std::string& profile)
{
    // WebP is what browsers read; a network that reads PNG gets PNG.
    const bool asPng = limits.allows("image/png");
    for (int round = 0; round < maxRounds; ++round)
    {
        auto bytes = asPng ? writePng(pixels, profile) : writeWebp(pixels, qualities.front());
        if (fits(limits, bytes)) return {asPng ? "image/png" : "image/webp", {pixels.width, pixels.height}, std::move(bytes)};
        pixels = smaller(pixels);
    }
    fail("cannot_fit");
}
} // namespace

bool CopyLimits::allows(std::string_view type) const
{
    return ("+" + types + "+").find("+" + std::string(type) + "+") != std::string::npos;
}

CopyLimits limitsOf(std::string_view text)
{
    CopyLimits limits;
    while (!text.empty())
    {
        const auto comma = std::min(text.find(','), text.size());
        readOption(text.substr(0, comma), limits);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (!limits.allows("image/jpeg") && !limits.allows("image/png") && !limits.allows("image/webp")) fail("usage");
    return limits;
}

Size sizeWithin(const CopyLimits& limits, int width, int height)
{
    double scale = 1;
    if (limits.edge > 0) scale = std::min(scale, static_cast<double>(limits.edge) / std::max(width, height));
    if (limits.pixels > 0) scale = std::min(scale, std::sqrt(static_cast<double>(limits.pixels) / (static_cast<double>(width) * height)));
    return {std::max(1, static_cast<int>(width * scale)), std::max(1, static_cast<int>(height * scale))};
}

Copy encodeWithin(const CopyLimits& limits, Pixels pixels, const std::string& profile)
{
    const bool hasAlphaFormat = limits.allows("image/png") || limits.allows("image/webp");
    if (!limits.allows("image/jpeg") || (hasAlphaFormat && isTransparent(pixels)))
        return encodeTransparent(limits, std::move(pixels), profile);
    pixels = flattened(std::move(pixels));
    for (int round = 0; round < maxRounds; ++round)
    {
        for (const int quality : qualities)
            if (auto bytes = writeJpeg(pixels, quality, profile); fits(limits, bytes))
                return {"image/jpeg", {pixels.width, pixels.height}, std::move(bytes)};
        pixels = smaller(pixels);
    }
    fail("cannot_fit");
}

} // namespace images
