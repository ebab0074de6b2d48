#pragma once

#include <string_view>

namespace portico::identity
{

struct User;

/// What a profile may say beside names (`common/Names.h`): pages and apps count with it.
namespace profile_rules
{
/// As RFC 5646, 2.1 spells it, as far as browsers know it: language, script, region and variants.
bool isLanguage(std::string_view tag);
/// Whether the system's tz database has a zone of that name; where there is no database, whether it has the form of one.
bool isTimeZone(std::string_view name);

/// Of what has changed. @throws Problem 400 `validation_failed` with `invalid_locale`, `unknown_time_zone`
void check(const User& before, const User& after);
} // namespace profile_rules

} // namespace portico::identity
