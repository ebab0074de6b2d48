#include "Validation.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::detail
{

namespace
{

std::string counted(std::int64_t count, std::string_view noun)
{
    return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

std::int64_t characters(std::string_view text) { return static_cast<std::int64_t>(characterCount(text)); }

bool isAtext(unsigned char c)
{
    constexpr std::string_view specials = "!#$%&'*+-/=?^_`{|}~";
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           specials.find(static_cast<char>(c)) != std::string_view::npos;
}

/// Dot-separated, non-empty parts that all satisfy `part`.
template <class F>
bool allParts(std::string_view text, F part)
{
    while (true)
    {
        const auto dot = text.find('.');
        if (!part(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

bool isHostLabel(std::string_view label)
{
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    return std::all_of(label.begin(), label.end(),
                       [](unsigned char c)
                       { return c >= 0x80 || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

/// The dot-atom form of RFC 5321, 4.1.2, with UTF-8 (RFC 6531); quoted local parts and address literals are refused, as people do not have
/// them.
bool isEmail(std::string_view text)
{
    const auto at = text.rfind('@');
    if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > 254) return false;
    const auto domain = text.substr(at + 1);
    return domain.find('.') != std::string_view::npos && allParts(domain, isHostLabel) &&
           allParts(text.substr(0, at),
                    [](std::string_view part) { return !part.empty() && std::all_of(part.begin(), part.end(), isAtext); });
}

class Validator
{
public:
    explicit Validator(Faults& faults, bool wholeRecords = true) : _faults(faults), _wholeRecords(wholeRecords) {}

    void check(const Type& type, const void* value, const Rules* rules, const std::string& path)
    {
        switch (type.kind)
        {
        case Kind::String:
            checkText(*static_cast<const std::string*>(value), rules, path);
            return;
        case Kind::Formatted:
            checkFormatted(type, value, rules, path);
            return;
        case Kind::Integer:
            checkRange(type.getInteger(value), rules, path);
            return;
        case Kind::Number:
            checkNumber(type.getNumber(value), rules, path);
            return;
        case Kind::Optional:
            checkOptional(type, value, rules, path);
            return;
        case Kind::List:
            checkList(type, value, rules, path);
            return;
        case Kind::Map:
            checkMap(type, value, rules, path);
            return;
        case Kind::Record:
            checkRecord(type, value, path);
            return;
        default:
            return;
        }
    }

    void checkRecord(const Type& type, const void* value, const std::string& path, const std::vector<bool>* named = nullptr)
    {
        for (std::size_t i = 0; i < type.memberCount; ++i)
        {
            const Member& member = type.members[i];
            if (member.rules.readOnly || member.rules.columnOnly || (named && !(*named)[i])) continue;
            check(*member.type, member.reach(const_cast<void*>(value)), &member.rules,
                  path.empty() ? std::string(member.name) : path + '.' + std::string(member.name));
        }
        if (type.check && _wholeRecords) type.check(value, _faults, path);
    }

private:
    void checkText(const std::string& text, const Rules* rules, const std::string& path)
    {
        if (!rules) return;
        if (text.empty())
        {
            if (rules->required) _faults.add(path, "required", "Must not be empty");
            return;
        }
        if (rules->minLength >= 0 && characters(text) < rules->minLength)
            _faults.add(path, "too_short", "At least " + counted(rules->minLength, "character"));
        else if (rules->maxLength >= 0 && characters(text) > rules->maxLength)
            _faults.add(path, "too_long", "At most " + counted(rules->maxLength, "character"));
        else
            checkFormat(text, *rules, path);
    }

    void checkFormat(std::string_view text, const Rules& rules, const std::string& path)
    {
        if (rules.format == Format::Email && !isEmail(text))
            _faults.add(path, "invalid_email", "Not an e-mail address");
        else if (rules.format == Format::Uri && !isWebUrl(text))
            _faults.add(path, "invalid_url", "Not an http or https URL without a name and password in it");
        else if (rules.format == Format::Date && !isDate(text))
            _faults.add(path, "invalid_date", "Not a date of the form YYYY-MM-DD");
        else if (rules.format == Format::Pattern && !rules.accepts(text))
            _faults.add(path, rules.errorCode, "Expected " + std::string(rules.pattern));
    }

    void checkFormatted(const Type& type, const void* value, const Rules* rules, const std::string& path)
    {
        if (!rules || !rules->required) return;
        std::string text;
        type.print(value, text);
        if (text.empty()) _faults.add(path, "required", "Must have a value");
    }

    void checkRange(std::int64_t value, const Rules* rules, const std::string& path)
    {
        if (rules && (value < rules->minimum || value > rules->maximum)) outOfRange(*rules, path);
    }

    void checkNumber(double value, const Rules* rules, const std::string& path)
    {
        if (rules && (value < static_cast<double>(rules->minimum) || value > static_cast<double>(rules->maximum))) outOfRange(*rules, path);
    }

    void outOfRange(const Rules& rules, const std::string& path)
    {
        const bool noLow = rules.minimum == std::numeric_limits<std::int64_t>::min();
        const bool noHigh = rules.maximum == std::numeric_limits<std::int64_t>::max();
        _faults.add(path, "out_of_range",
                    noLow    ? "At most " + std::to_string(rules.maximum)
                    : noHigh ? "At least " + std::to_string(rules.minimum)
                             : "From " + std::to_string(rules.minimum) + " to " + std::to_string(rules.maximum));
    }

    void checkOptional(const Type& type, const void* value, const Rules* rules, const std::string& path)
    {
        if (const void* held = type.value(value))
            check(*type.element, held, rules, path);
        else if (rules && rules->required)
            _faults.add(path, "required", "Must have a value");
    }

    void checkList(const Type& type, const void* value, const Rules* rules, const std::string& path)
    {
        const std::size_t count = type.size(value);
        checkCount(count, rules, path);
        Rules ofElements;
        if (rules) ofElements = *rules;
        ofElements.required = type.element->kind == Kind::String;
        for (std::size_t i = 0; i < count; ++i) check(*type.element, type.at(value, i), &ofElements, path + '[' + std::to_string(i) + ']');
    }

    void checkCount(std::size_t count, const Rules* rules, const std::string& path)
    {
        if (!rules) return;
        const auto n = static_cast<std::int64_t>(count);
        if (rules->required && n == 0)
            _faults.add(path, "required", "Must not be empty");
        else if (rules->minItems >= 0 && n < rules->minItems)
            _faults.add(path, "too_few_values", "At least " + counted(rules->minItems, "value"));
        else if (rules->maxItems >= 0 && n > rules->maxItems)
            _faults.add(path, "too_many_values", "At most " + counted(rules->maxItems, "value"));
    }

    void checkMap(const Type& type, const void* value, const Rules* rules, const std::string& path)
    {
        checkCount(type.size(value), rules, path);
        struct State
        {
            Validator& self;
            const Type& element;
            const std::string& path;
        } state{*this, *type.element, path};
        type.each(value, &state,
                  [](void* context, std::string_view key, const void* held)
                  {
                      auto& s = *static_cast<State*>(context);
                      s.self.check(s.element, held, nullptr, s.path + '.' + std::string(key));
                  });
    }

    Faults& _faults;
    const bool _wholeRecords;
};

} // namespace

void validateRecord(const Type& type, const void* value, Faults& faults, const std::vector<bool>* named)
{
    Validator(faults).checkRecord(type, value, {}, named);
}

void validateMembers(const Type& type, const void* value, Faults& faults) { Validator(faults, false).checkRecord(type, value, {}); }

void validateMember(const Member& member, const void* record, Faults& faults)
{
    if (member.rules.readOnly || member.rules.columnOnly) return;
    Validator(faults, false).check(*member.type, member.reach(const_cast<void*>(record)), &member.rules, std::string(member.name));
}

} // namespace portico::detail
