#pragma once

#include <string_view>

namespace portico::social
{

/// Returns whether the text is the name of a zone or a link of the system's tz database (`Europe/Berlin`, `UTC`). Reads a file for each new
/// name. Thread-safe.
bool isTimeZone(std::string_view name);

/// Returns whether the text is a well-formed language tag of BCP 47 (RFC 5646, 2.1): its form, not the registry.
bool isLanguageTag(std::string_view tag);

/// Returns whether the text is a time of day, `HH:MM`, from 00:00 to 23:59.
bool isTimeOfDay(std::string_view text);

} // namespace portico::social
