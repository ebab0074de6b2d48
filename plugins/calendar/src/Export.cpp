#include "CalendarPlugin.h"

using portico::calendar::CalendarPlugin;
PORTICO_PLUGIN(CalendarPlugin);
