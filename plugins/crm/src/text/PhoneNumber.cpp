#include "text/PhoneNumber.h"

#include "text/Folding.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t fewestDigits = 7, mostDigits = 15; // E.164, 6.1; shorter ones are short codes that work in one country only

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool isPhoneCharacter(char c)
{
    constexpr std::string_view marks = " +-.()/#*,;:=~_";
    // Beyond ASCII: people paste no-break spaces and dashes of all lengths.
    return (c >= '0' && c <= '9') || isLetter(c) || marks.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view withoutExtension(std::string_view text)
{
    // A letter before the extension (FLOWERS) means that the digits alone are not the number.
    return text.substr(0, text.find_first_of("xXeE;,#"));
}

/// `+49 (0)170 …` names the trunk zero that is left out when it is dialled from abroad.
std::string withoutTrunkHint(std::string_view text)
{
    std::string out(text);
    if (const auto at = out.find("(0)"); at != std::string::npos) out.erase(at, 3);
    return out;
}

std::optional<std::string> international(std::string digits)
{
    if (digits.size() < fewestDigits || digits.size() > mostDigits || digits.front() == '0') return std::nullopt;
    return '+' + digits;
}

} // namespace

bool looksLikePhoneNumber(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), isPhoneCharacter) && digitsOf(text).size() >= 3;
}

std::optional<std::string> e164(std::string_view typed, std::string_view callingCode)
{
    const auto number = trim(withoutExtension(typed));
    if (std::any_of(number.begin(), number.end(), isLetter)) return std::nullopt;
    if (number.starts_with('+')) return international(digitsOf(withoutTrunkHint(number)));
    auto digits = digitsOf(number);
    if (digits.starts_with("00")) return international(digitsOf(withoutTrunkHint(number)).substr(2));
    if (callingCode.empty() || digits.empty()) return std::nullopt;
    if (digits.front() == '0') digits.erase(0, 1);
    return international(std::string(callingCode) + digits);
}

} // namespace portico::crm
