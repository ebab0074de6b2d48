#include "CalendarPlugin.h"

namespace portico::calendar
{

void CalendarPlugin::declare(Routes&) {}

} // namespace portico::calendar
