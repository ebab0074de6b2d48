#pragma once

#include <string_view>

namespace portico::calendar::icalendar
{

/// The text of `plugins/calendar/zones/windows-zones.txt`, which is part of the library.
std::string_view windowsZoneFile() noexcept;

} // namespace portico::calendar::icalendar
