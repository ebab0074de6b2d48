#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Returns true for a text of up to 40 characters with at least three digits and only characters of phone numbers (letters are allowed:
/// 1-800-FLOWERS). Returns false for a number that a spreadsheet damaged (`isCalculated`).
bool looksLikePhoneNumber(std::string_view text);

/// Returns true for a computed number: `4.91701E+11`, `4,91701E+11`, `4.9×10^11`, `-491701234567`. Digits of the phone number are lost or
/// changed.
bool isCalculated(std::string_view text);

/// Returns the number that a spreadsheet wrote with a fraction of zeros, without the fraction: `170123456` for `170123456.0` and
/// `170.123.456,00`. Empty for any other text.
std::optional<std::string> plainNumber(std::string_view text);

/// Adds the calling code from a separate column (`+49`, `0049`, `49`, or the country, `DE`) to a national number. Returns the number
/// unchanged if it is international or the code is unknown.
std::string withCallingCode(std::string_view number, std::string_view code);

/// Returns the digits 0 to 9 of the text.
std::string digitsOf(std::string_view text);

/// Returns the E.164 form if it can be derived. Accepts numbers that start with `+` or `00`. With a calling code, also accepts national
/// ones, whose one leading zero is dropped. Extensions (`x12`, `ext. 12`, `;ext=12`) are left out. National numbering plans are not
/// checked, because the result only serves to find contacts.
std::optional<std::string> e164(std::string_view typed, std::string_view callingCode);

/// Returns the calling code (`49`) of a country (ISO 3166-1 alpha-2, any case); empty for an unknown one.
std::string_view callingCode(std::string_view country);

bool hasCallingCode(std::string_view country);

} // namespace portico::crm
