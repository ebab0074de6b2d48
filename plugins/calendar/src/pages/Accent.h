#pragma once

#include <string>
#include <string_view>

namespace portico::calendar
{

/// The styles that give a page a host's accent: the colour itself where text in it is readable on the surfaces of the light and of the
/// dark theme (4.5 : 1; WCAG 2.2, 1.4.3), else the nearest lighter or darker one that is, and what is written on it. Empty for what is no
/// `#rrggbb`.
std::string accentStyles(std::string_view color);

/// Contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.2, relative luminance).
double contrast(std::string_view one, std::string_view other);

} // namespace portico::calendar
