#include "exchange/SeveralValues.h"

#include "exchange/PlainValues.h"
#include "records/ContactParts.h"
#include "text/EmailKey.h"
#include "text/PhoneNumber.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <map>
#include <optional>

namespace portico::crm
{

namespace
{

constexpr std::string_view lineBreaks = "\r\n";

bool isEmailList(Target target) { return target == Target::EmailAddress || target == Target::Emails; }
bool isPhoneList(Target target) { return target == Target::PhoneNumber || target == Target::Phones; }

/// Returns true if the text between two separators is a complete value.
bool isValueOf(Target target, std::string_view piece)
{
    constexpr std::size_t fewestDigits = 6;
    if (isEmailList(target)) return std::count(piece.begin(), piece.end(), '@') == 1;
    // A part that begins with a letter is the extension of the number before it.
    if (isPhoneList(target)) return digitsOf(piece).size() >= fewestDigits && !fold(piece).starts_with("ext");
    return isWebsite(piece);
}

/// The pieces between the separators; empty if one of them is no value.
std::optional<std::vector<std::string_view>> piecesAt(Target target, std::string_view cell, std::string_view separators)
{
    std::vector<std::string_view> pieces;
    while (!cell.empty())
    {
        const auto piece = trim(cell.substr(0, cell.find_first_of(separators)));
        cell.remove_prefix(std::min(cell.find_first_of(separators), cell.size() - 1) + 1);
        if (piece.empty()) continue;
        if (!isValueOf(target, piece)) return std::nullopt;
        pieces.push_back(piece);
    }
    return pieces;
}

/// ` ::: `, ` / ` and the plus that begins the next number, as separators of one character.
std::string withPlainSeparators(Target target, std::string_view cell)
{
    std::string out;
    for (std::size_t i = 0; i < cell.size(); ++i)
    {
        const auto rest = cell.substr(i);
        const bool nextNumber = isPhoneList(target) && rest.starts_with(" +") && i > 0 && cell[i - 1] >= '0' && cell[i - 1] <= '9';
        if (rest.starts_with(":::"))
        {
            out += '\n';
            i += 2;
        }
        else if (rest.starts_with(" / ") || nextNumber)
        {
            out += '\n';
            i += rest.starts_with(" / ") ? 2 : 0;
        }
        else
            out += cell[i];
    }
    return out;
}

std::optional<std::string> textOf(const std::map<std::string, Json>& object, std::string_view name)
{
    const auto found = object.find(std::string(name));
    if (found == object.end() || !found->second.text.starts_with('"')) return std::nullopt;
    return fromJson<std::string>(found->second.text);
}

/// A text, or of an object the member that programs keep the value in.
std::string elementText(const Json& element)
{
    if (element.text.starts_with('"')) return fromJson<std::string>(element.text);
    if (!element.text.starts_with('{')) return {};
    const auto object = fromJson<std::map<std::string, Json>>(element.text);
    for (const std::string_view name : {"number", "phoneNumber", "email", "address", "url", "value"})
        if (const auto text = textOf(object, name))
            return withCallingCode(*text, textOf(object, "callingCode").value_or(textOf(object, "countryCode").value_or("")));
    return {};
}

std::optional<std::vector<std::string>> arrayValues(std::string_view cell)
{
    if (!cell.starts_with('[') || !cell.ends_with(']')) return std::nullopt;
    try
    {
        std::vector<std::string> values;
        for (const auto& element : fromJson<std::vector<Json>>(cell))
            if (const auto text = elementText(element); !trim(text).empty()) values.emplace_back(trim(text));
        return values;
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

} // namespace

std::vector<std::string> severalValues(Target target, std::string_view cell)
{
    cell = trim(cell);
    if (auto values = arrayValues(cell)) return *std::move(values);
    const auto plain = withPlainSeparators(target, cell);
    // From the strongest separators to those that are parts of values, too.
    for (const std::string_view separators : {lineBreaks, std::string_view("\r\n|"), std::string_view("\r\n|;"),
                                              std::string_view("\r\n|;,"), std::string_view("\r\n|;, \t"), std::string_view("\r\n|;, \t/")})
    {
        const bool splitsLinks = !isEmailList(target) && !isPhoneList(target) && separators.find(',') != std::string_view::npos;
        const bool splitsNumbers = isPhoneList(target) && separators.find(' ') != std::string_view::npos;
        if (splitsLinks || (splitsNumbers && separators.find('/') == std::string_view::npos)) continue;
        const auto pieces = piecesAt(target, plain, splitsNumbers ? std::string_view("\r\n|;,/") : separators);
        if (pieces && pieces->size() > 1) return {pieces->begin(), pieces->end()};
    }
    return {std::string(cell)};
}

} // namespace portico::crm
