#pragma once

#include "portico/Faults.h"

#include <string>
#include <string_view>

namespace portico::identity
{

struct User;

/// What people and organizations may be called, and what a profile may say: others are shown it, and pages and apps count with it.
namespace profile_rules
{
/// @throws Problem 400 `validation_failed` with `invalid_name` for a text of more lines than one, or with characters that nobody sees and
/// that turn the text around them
void requireName(std::string_view field, std::string_view name);
void checkName(Faults& faults, std::string field, std::string_view name);

/// As RFC 5646, 2.1 spells it, as far as browsers know it: language, script, region and variants.
bool isLanguage(std::string_view tag);
/// Whether the system's tz database has a zone of that name; where there is no database, whether it has the form of one.
bool isTimeZone(std::string_view name);

/// Of what has changed. @throws Problem 400 `validation_failed` with `invalid_name`, `invalid_locale`, `unknown_time_zone`
void check(const User& before, const User& after);
} // namespace profile_rules

} // namespace portico::identity
