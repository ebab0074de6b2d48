#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// True for a text of up to 40 characters with at least three digits and nothing that no phone number has (letters are allowed:
/// 1-800-FLOWERS). False for a number that a spreadsheet broke (`isCalculated`).
bool looksLikePhoneNumber(std::string_view text);

/// True for the result of a calculation: `4.91701E+11`, `4,91701E+11`, `4.9×10^11`, `-491701234567`. Its digits are not those of a phone
/// number, or not all of them.
bool isCalculated(std::string_view text);

/// Returns the number that a spreadsheet wrote with a fraction of zeros, without the fraction: `170123456` for `170123456.0` and
/// `170.123.456,00`. Empty for any other text.
std::optional<std::string> plainNumber(std::string_view text);

/// Completes a national number whose calling code stands apart (`+49`, `0049`, `49`, or the country, `DE`). The number as it is, if it is
/// international already or the code says nothing.
std::string withCallingCode(std::string_view number, std::string_view code);

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
