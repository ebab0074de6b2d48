#pragma once

#include "portico/Templates.h"

#include <string_view>

namespace portico::calendar
{

/// What lies in `plugins/calendar/pages`, by path: `templates/`, `messages/`, `styles/`, `scripts/`. It is part of the library.
Templates::Files pageFiles();

/// `sdk/web/tokens/tokens.css`: colour, type and space of every page.
std::string_view tokenStyles();

} // namespace portico::calendar
