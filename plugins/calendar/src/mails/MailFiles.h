#pragma once

#include "portico/Templates.h"

namespace portico::calendar
{

/// Returns the files of `plugins/calendar/mails` by path: `templates/`, `messages/`. They are embedded in the library.
Templates::Files mailFiles();

} // namespace portico::calendar
