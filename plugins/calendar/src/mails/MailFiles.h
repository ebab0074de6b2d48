#pragma once

#include "portico/Templates.h"

namespace portico::calendar
{

/// What lies in `plugins/calendar/mails`, by path: `templates/`, `messages/`. It is part of the library.
Templates::Files mailFiles();

} // namespace portico::calendar
