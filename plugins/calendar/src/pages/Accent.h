#pragma once

#include <string>
#include <string_view>

namespace portico::calendar
{

/// Returns the styles for a host's accent color. Uses the color itself if its text is readable on the surfaces of the light and dark theme
/// (4.5 : 1; WCAG 2.2, 1.4.3). Otherwise uses the nearest lighter or darker color that is. Also sets the color of text on it. Empty for
/// text other than `#rrggbb`.
std::string accentStyles(std::string_view color);

/// Contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.2, relative luminance).
double contrast(std::string_view one, std::string_view other);

} // namespace portico::calendar
