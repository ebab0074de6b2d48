#pragma once

#include "portico/Templates.h"

#include <string_view>

namespace portico::launchpad
{

/// Files of `plugins/launchpad/pages` by path: `templates/`, `messages/`, `styles/`, `scripts/`. They are part of the library.
Templates::Files pageFiles();

/// Returns `sdk/web/tokens/tokens.css`: colors, type and spacing of every page.
std::string_view tokenStyles();

} // namespace portico::launchpad
