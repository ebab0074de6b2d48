#include "calendar/SourceFolders.h"

namespace portico::tests
{

std::string calendarPluginFolder() { return CALENDAR_PLUGIN; }
std::string calendarTestFolder() { return CALENDAR_TESTS; }

} // namespace portico::tests
