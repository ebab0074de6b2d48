#include "TextReader.h"

#include <charconv>
#include <cmath>

namespace portico::detail
{

namespace
{

template <class N>
std::optional<N> wholeNumber(std::string_view text)
{
    N value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

bool readList(std::string_view text, const Type& type, void* value)
{
    // The parameter's values replace the default.
    type.reset(value);
    while (true)
    {
        const auto comma = text.find(',');
        const auto part = text.substr(0, comma);
        if (part.empty() || !readText(part, *type.element, type.append(value))) return false;
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

bool chooseFrom(std::string_view text, const Type& type, void* value)
{
    for (std::size_t i = 0; i < type.choiceCount; ++i)
        if (type.choices[i] == text) return type.setInteger(value, static_cast<std::int64_t>(i));
    return false;
}

} // namespace

void addUnparsed(Faults& faults, std::string_view path, const Type& type, const Rules* rules)
{
    const auto format = rules ? rules->format : Format::None;
    if (format == Format::Pattern)
        faults.add(std::string(path), rules->errorCode, "Expected " + std::string(rules->pattern));
    else if (format == Format::Date)
        faults.add(std::string(path), "invalid_date", "Not a date of the form YYYY-MM-DD");
    else if (type.format == "id")
        faults.add(std::string(path), "invalid_id", "Not a valid id of this kind");
    else
        faults.add(std::string(path), "invalid_instant", "Not an RFC 3339 date and time");
}

std::string options(const Type& type)
{
    std::string list;
    for (std::size_t i = 0; i < type.choiceCount; ++i) (list += i == 0 ? "" : ", ") += type.choices[i];
    return list;
}

bool readText(std::string_view text, const Type& type, void* value)
{
    switch (type.kind)
    {
    case Kind::Boolean:
        return (text == "true" || text == "false") && type.setInteger(value, text == "true");
    case Kind::Integer:
    {
        const auto number = wholeNumber<std::int64_t>(text);
        return number && type.setInteger(value, *number);
    }
    case Kind::Number:
    {
        const auto number = wholeNumber<double>(text);
        // "nan" and "inf" are read, too, and the first is in every range.
        if (!number || !std::isfinite(*number)) return false;
        type.setNumber(value, *number);
        return true;
    }
    case Kind::String:
        *static_cast<std::string*>(value) = text;
        return true;
    case Kind::Formatted:
        return type.parse(value, text);
    case Kind::Choice:
        return chooseFrom(text, type, value);
    case Kind::Optional:
        return readText(text, *type.element, type.engage(value));
    case Kind::List:
        return readList(text, type, value);
    default:
        return false;
    }
}

} // namespace portico::detail
