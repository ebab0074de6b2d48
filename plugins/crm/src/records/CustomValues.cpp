#include "records/CustomValues.h"

#include "records/ContactParts.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace portico::crm
{

namespace
{

constexpr std::size_t longestText = 4000;
constexpr std::size_t longestUrl = 2000;

bool isText(const Json& value) { return value.text.starts_with('"'); }
bool isList(const Json& value) { return value.text.starts_with('['); }

bool isNumber(std::string_view json) { return !json.empty() && (json.front() == '-' || (json.front() >= '0' && json.front() <= '9')); }

/// Nothing to keep: it means the same as no value.
bool isEmpty(const Json& value) { return value.text == "null" || value.text == R"("")" || value.text == "[]"; }

/// The elements of a JSON list as JSON.
std::vector<Json> elementsOf(const Json& list) { return fromJson<std::vector<Json>>(list.text); }

/// The shortest JSON number of the same value, or empty for one that is too large.
std::optional<std::string> shortestNumber(std::string_view json)
{
    std::int64_t whole = 0;
    const auto end = json.data() + json.size();
    if (const auto read = std::from_chars(json.data(), end, whole); read.ec == std::errc{} && read.ptr == end) return std::to_string(whole);
    double real = 0;
    const auto read = std::from_chars(json.data(), end, real);
    if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(real)) return std::nullopt;
    constexpr double exact = 9.0e15;
    if (std::nearbyint(real) == real && std::fabs(real) < exact) return std::to_string(static_cast<std::int64_t>(real));
    std::array<char, 32> text{};
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), real).ptr);
}

bool isOfType(const Json& value, CustomFieldType type)
{
    if (type == CustomFieldType::Number) return isNumber(value.text);
    if (type == CustomFieldType::Boolean) return value.text == "true" || value.text == "false";
    return type == CustomFieldType::MultiSelect ? isList(value) : isText(value);
}

/// Checks one value by its field.
class Check
{
public:
    Check(const CustomField& field, const Json* before, std::vector<FieldError>& faults)
        : _field(field), _before(before), _faults(faults), _path("customFields." + field.key)
    {
    }

    void run(Json& value)
    {
        switch (_field.type)
        {
        case CustomFieldType::Text:
            checkText(value, [](const std::string&) { return true; }, longestText, {});
            return;
        case CustomFieldType::Url:
            checkText(value, [](const std::string& text) { return isWebsite(text); }, longestUrl,
                      {_path, "invalid_url", "Expected an http or https URL, or a host name with or without a path"});
            return;
        case CustomFieldType::Date:
            checkText(value, [](const std::string& text) { return isDate(text); }, longestText,
                      {_path, "invalid_date", "Not a date of the form YYYY-MM-DD"});
            return;
        case CustomFieldType::Number:
            checkNumber(value);
            return;
        case CustomFieldType::Boolean:
            if (value.text != "true" && value.text != "false") refuse("wrong_type", "Expected true or false");
            return;
        case CustomFieldType::Select:
            checkOption(value, _path, {});
            return;
        case CustomFieldType::MultiSelect:
            checkOptions(value);
            return;
        }
    }

private:
    void refuse(std::string code, std::string message) { _faults.push_back({_path, std::move(code), std::move(message)}); }

    template <class F>
    void checkText(const Json& value, F accepts, std::size_t longest, const FieldError& fault)
    {
        if (!isText(value)) return refuse("wrong_type", "Expected text");
        const auto text = fromJson<std::string>(value.text);
        if (characterCount(text) > longest)
            refuse("too_long", "At most " + std::to_string(longest) + " characters");
        else if (!accepts(text))
            _faults.push_back(fault);
    }

    void checkNumber(Json& value)
    {
        if (!isNumber(value.text)) return refuse("wrong_type", "Expected a number");
        auto shortest = shortestNumber(value.text);
        if (!shortest) return refuse("out_of_range", "The number is too large or too small");
        value.text = *std::move(shortest);
    }

    void checkOption(const Json& value, const std::string& path, const std::vector<Json>& allowed)
    {
        if (!isText(value))
        {
            _faults.push_back({path, "wrong_type", "Expected text"});
            return;
        }
        const auto option = fromJson<std::string>(value.text);
        const auto& options = _field.options;
        if (std::find(options.begin(), options.end(), option) != options.end()) return;
        // A stored value stays valid although its option was removed.
        if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
        _faults.push_back({path, "unknown_option", "Not an option of " + _field.key});
    }

    void checkOptions(Json& value)
    {
        if (!isList(value)) return refuse("wrong_type", "Expected a list");
        const auto allowed = _before && isList(*_before) ? elementsOf(*_before) : std::vector<Json>{};
        std::vector<Json> chosen;
        std::size_t index = 0;
        for (const auto& element : elementsOf(value))
        {
            checkOption(element, _path + '[' + std::to_string(index++) + ']', allowed);
            if (std::find(chosen.begin(), chosen.end(), element) == chosen.end()) chosen.push_back(element);
        }
        value.text = toJson(chosen);
    }

    const CustomField& _field;
    const Json* _before;
    std::vector<FieldError>& _faults;
    std::string _path;
};

const Json* valueOf(const CustomValues* values, const std::string& key)
{
    if (!values) return nullptr;
    const auto found = values->find(key);
    return found == values->end() ? nullptr : &found->second;
}

void checkRequired(const CustomValues& values, const CustomValues* before, const CustomFields& fields, std::vector<FieldError>& faults)
{
    for (const auto& [key, field] : fields)
        if (field.required && !values.contains(key) && (!before || before->contains(key)))
            faults.push_back({"customFields." + key, "required", "Must have a value"});
}

} // namespace

void completeCustomValues(CustomValues& values, const CustomValues* before, const CustomFields& fields, CustomValueFaults& faults)
{
    std::erase_if(values, [](const auto& entry) { return isEmpty(entry.second); });
    for (auto entry = values.begin(); entry != values.end();)
    {
        const auto field = fields.find(entry->first);
        const auto* stored = valueOf(before, entry->first);
        const bool unchanged = stored && *stored == entry->second;
        if (field == fields.end() && unchanged)
        {
            entry = values.erase(entry);
            continue;
        }
        if (field == fields.end())
            faults.unknown.push_back({"customFields." + entry->first, "unknown_field", "No such custom field"});
        else if (!unchanged)
            Check(field->second, stored, faults.invalid).run(entry->second);
        ++entry;
    }
    checkRequired(values, before, fields, faults.invalid);
}

void dropUndefined(CustomValues& values, const CustomFields& fields)
{
    std::erase_if(values,
                  [&](const auto& entry)
                  {
                      const auto field = fields.find(entry.first);
                      return field == fields.end() || !isOfType(entry.second, field->second.type);
                  });
}

namespace
{

Json jsonText(std::string_view text)
{
    Json value{{}};
    appendJsonString(value.text, text);
    return value;
}

Json booleanFromText(std::string_view text)
{
    const auto word = fold(trim(text));
    if (word == "true" || word == "yes" || word == "1") return {"true"};
    if (word == "false" || word == "no" || word == "0") return {"false"};
    return jsonText(text);
}

/// A JSON list of texts, or empty.
std::optional<Json> listFromJson(std::string_view text)
{
    if (!text.starts_with('[') || !isJson(text)) return std::nullopt;
    const auto elements = elementsOf({std::string(text)});
    if (!std::all_of(elements.begin(), elements.end(), isText)) return std::nullopt;
    return Json{toJson(elements)};
}

Json optionsFromText(std::string_view text)
{
    if (auto list = listFromJson(trim(text))) return *std::move(list);
    std::vector<std::string> options;
    for (std::string_view rest = text; !rest.empty();)
    {
        const auto end = std::min(rest.find(';'), rest.size());
        if (const auto option = trim(rest.substr(0, end)); !option.empty()) options.emplace_back(option);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {toJson(options)};
}

} // namespace

Json customValueFromText(const CustomField& field, std::string_view text)
{
    switch (field.type)
    {
    case CustomFieldType::Number:
    {
        const std::string number(trim(text));
        return isNumber(number) && isJson(number) ? Json{number} : jsonText(text);
    }
    case CustomFieldType::Boolean:
        return booleanFromText(text);
    case CustomFieldType::MultiSelect:
        return optionsFromText(text);
    case CustomFieldType::Text:
        return jsonText(text);
    default:
        return jsonText(trim(text));
    }
}

std::string customValueToText(const Json& value)
{
    if (isText(value)) return fromJson<std::string>(value.text);
    if (!isList(value)) return value.text;
    std::string joined;
    bool plain = true;
    for (const auto& option : elementsOf(value))
    {
        const auto text = isText(option) ? fromJson<std::string>(option.text) : option.text;
        plain = plain && text.find(';') == std::string::npos && trim(text) == text;
        joined += (joined.empty() ? "" : ";") + text;
    }
    return plain && !joined.starts_with('[') ? joined : value.text;
}

} // namespace portico::crm
