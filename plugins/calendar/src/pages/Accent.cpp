#include "pages/Accent.h"

#include "records/Host.h"

#include <array>
#include <charconv>
#include <cmath>

namespace portico::calendar
{

namespace
{
using Color = std::array<double, 3>;

constexpr double readable = 4.5;
// Surface colors of the design tokens: in each theme the surface on which accent text has the lowest contrast.
constexpr std::string_view lightSurface = "#eef0f4", darkSurface = "#262a33", white = "#ffffff", nearBlack = "#10131a";

Color parsed(std::string_view text)
{
    Color color{};
    for (std::size_t i = 0; i < 3; ++i)
    {
        int value = 0;
        std::from_chars(text.data() + 1 + 2 * i, text.data() + 3 + 2 * i, value, 16);
        color[i] = value;
    }
    return color;
}

std::string written(const Color& color)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "#";
    for (const double part : color)
    {
        const auto value = static_cast<unsigned>(std::lround(part));
        text += {digits[value >> 4U], digits[value & 15U]};
    }
    return text;
}

double luminance(const Color& color)
{
    Color linear{};
    for (std::size_t i = 0; i < 3; ++i)
    {
        const double part = color[i] / 255;
        linear[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

Color mixed(const Color& color, double toward, double share)
{
    Color result{};
    for (std::size_t i = 0; i < 3; ++i) result[i] = color[i] + (toward - color[i]) * share;
    return result;
}

/// The colour, moved toward black (0) or white (255) until it is readable on the surface.
std::string readableOn(std::string_view surface, std::string_view color, double toward)
{
    for (double share = 0; share < 1; share += 0.04)
        if (auto tried = written(mixed(parsed(color), toward, share)); contrast(tried, surface) >= readable) return tried;
    return written({toward, toward, toward});
}

std::string variables(const std::string& accent, double stronger)
{
    const auto strong = written(mixed(parsed(accent), stronger, 0.2));
    const auto on = contrast(accent, white) >= contrast(accent, nearBlack) ? white : nearBlack;
    return "--portico-accent:" + accent + ";--portico-accent-strong:" + strong + ";--portico-focus:" + accent +
           ";--portico-on-accent:" + std::string(on) + ";--portico-selected:color-mix(in srgb," + accent + " 16%,var(--portico-surface));";
}
} // namespace

double contrast(std::string_view one, std::string_view other)
{
    const double first = luminance(parsed(one)), second = luminance(parsed(other));
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

std::string accentStyles(std::string_view color)
{
    if (color.empty() || !isColor(color)) return {};
    const auto light = variables(readableOn(lightSurface, color, 0), 0);
    const auto dark = variables(readableOn(darkSurface, color, 255), 255);
    return ":root{" + light + "}@media (prefers-color-scheme:dark){:root:not([data-theme=\"light\"]){" + dark +
           "}}:root[data-theme=\"dark\"]{" + dark + "}";
}

} // namespace portico::calendar
