#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// True for a text of up to 40 characters with at least three digits and nothing that no phone number has (letters are allowed:
/// 1-800-FLOWERS).
bool looksLikePhoneNumber(std::string_view text);

/// The digits 0 to 9 in it.
std::string digitsOf(std::string_view text);

/// The E.164 form, where the text tells it: numbers that start with `+` or `00`, and, with a calling code given, national ones, whose one
/// leading zero is dropped. Extensions (`x12`, `ext. 12`, `;ext=12`) are left out. No table of national plans is asked: numbers keep the
/// form in which they were typed, and this is only for finding them.
std::optional<std::string> e164(std::string_view typed, std::string_view callingCode);

/// Calling code (`49`) of a country (ISO 3166-1 alpha-2, any case); empty for an unknown one.
std::string_view callingCode(std::string_view country);

bool hasCallingCode(std::string_view country);

} // namespace portico::crm
