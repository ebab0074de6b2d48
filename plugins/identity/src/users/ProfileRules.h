#pragma once

#include <string_view>

namespace portico::identity
{

struct User;

/// Rules for members of a profile beside names (`common/Names.h`). Pages and apps rely on them.
namespace profile_rules
{
/// Returns true for a language tag in the spelling of RFC 5646, 2.1 that browsers support: language, script, region and variants.
bool isLanguage(std::string_view tag);
/// Returns true if the system's tz database has a zone of that name. Without a database, checks only the form.
bool isTimeZone(std::string_view name);

/// Checks changed members. @throws Problem 400 `validation_failed` with `invalid_locale`, `unknown_time_zone`
void check(const User& before, const User& after);
} // namespace profile_rules

} // namespace portico::identity
