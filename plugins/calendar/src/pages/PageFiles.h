#pragma once

#include "portico/Templates.h"

#include <string_view>

namespace portico::calendar
{

/// Returns the files of `plugins/calendar/pages` by path: `templates/`, `messages/`, `styles/`, `scripts/`. They are embedded in the
/// library.
Templates::Files pageFiles();

/// Returns `sdk/web/tokens/tokens.css`: color, type and spacing of every page.
std::string_view tokenStyles();

} // namespace portico::calendar
