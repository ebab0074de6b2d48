#include "host/plugins/package/SchemaChecker.h"

#include "host/base/Text.h"

#include <Poco/RegularExpression.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace portico::host::plugins
{

JsonPlace placeOf(std::string_view text, std::size_t at)
{
    const auto before = text.substr(0, at);
    const auto lineEnd = before.rfind('\n');
    return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
            static_cast<int>(at - (lineEnd == std::string_view::npos ? 0 : lineEnd + 1)) + 1};
}

JsonPlaces::JsonPlaces(std::string_view text) : _text(text)
{
    skipSpace();
    value("", _at);
}

JsonPlace JsonPlaces::place(std::string path) const
{
    for (;;)
    {
        if (const auto found = _begins.find(path); found != _begins.end()) return placeOf(_text, found->second);
        const auto end = path.find_last_of(".[");
        path.resize(end == std::string::npos ? 0 : end);
    }
}

void JsonPlaces::value(const std::string& path, std::size_t begin)
{
    _begins.emplace(path, begin);
    const char first = _text[_at];
    if (first == '{')
        object(path);
    else if (first == '[')
        array(path);
    else if (first == '"')
        quoted();
    else
        _at = std::min(_text.find_first_of(",]} \t\r\n", _at), _text.size());
}

void JsonPlaces::object(const std::string& path)
{
    ++_at;
    for (;;)
    {
        skipSpace();
        if (_text[_at] == '}') break;
        const auto begin = _at;
        const auto key = boost::json::parse(quoted()).as_string();
        const auto member = (path.empty() ? "" : path + ".") + std::string(key.data(), key.size());
        if (_begins.contains(member)) _duplicates.emplace_back(member, placeOf(_text, begin));
        skipSpace();
        ++_at; // the colon
        skipSpace();
        value(member, begin);
        skipSpace();
        if (_text[_at] == ',') ++_at;
    }
    ++_at;
}

void JsonPlaces::array(const std::string& path)
{
    ++_at;
    for (int index = 0;; ++index)
    {
        skipSpace();
        if (_text[_at] == ']') break;
        value(path + "[" + std::to_string(index) + "]", _at);
        skipSpace();
        if (_text[_at] == ',') ++_at;
    }
    ++_at;
}

std::string_view JsonPlaces::quoted()
{
    const auto begin = _at++;
    while (_text[_at] != '"') _at += _text[_at] == '\\' ? 2 : 1;
    return _text.substr(begin, ++_at - begin);
}

void JsonPlaces::skipSpace() { _at = std::min(_text.find_first_not_of(" \t\r\n", _at), _text.size()); }

namespace json = boost::json;

namespace
{
constexpr std::array knownKeywords{
    "$schema",  "$ref",        "title",   "description", "definitions",   "type",      "enum",
    "const",    "pattern",     "minimum", "maximum",     "minLength",     "maxLength", "minItems",
    "maxItems", "uniqueItems", "items",   "properties",  "propertyNames", "required",  "additionalProperties"};

/// Also compiles the patterns.
void learn(const json::value& schema, Patterns& patterns)
{
    const auto* object = schema.if_object();
    if (!object) return;
    for (const auto& [keyword, value] : *object)
    {
        if (std::ranges::find(knownKeywords, std::string_view(keyword)) == knownKeywords.end())
            throw std::invalid_argument("the schema uses the keyword '" + std::string(keyword) + "', which SchemaChecker does not know");
        if (keyword == "properties" || keyword == "definitions")
            for (const auto& [name, inner] : value.as_object()) learn(inner, patterns);
        else if (keyword == "items" || keyword == "additionalProperties" || keyword == "propertyNames")
            learn(value, patterns);
        else if (keyword == "pattern")
            // DOLLAR_ENDONLY: otherwise `$` also matches before a newline at the end.
            patterns.try_emplace(
                std::string(value.as_string()),
                std::make_shared<Poco::RegularExpression>(std::string(value.as_string()), Poco::RegularExpression::RE_DOLLAR_ENDONLY));
    }
}

std::string_view typeName(const json::value& value)
{
    // In the order of json::kind.
    constexpr std::array<std::string_view, 8> names{"null", "boolean", "integer", "integer", "number", "string", "array", "object"};
    return names[static_cast<std::size_t>(value.kind())];
}

std::string withArticle(std::string_view type)
{
    if (type == "null") return "null";
    return (type == "integer" || type == "array" || type == "object" ? "an " : "a ") + std::string(type);
}

std::string joined(const json::array& values, std::string_view last)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        if (i > 0) text += i + 1 == values.size() ? last : ", ";
        text += json::serialize(values[i]);
    }
    return text;
}

/// Formats a found value, short enough for a line of a log.
std::string shown(const json::value& value)
{
    if (value.is_object() || value.is_array()) return withArticle(typeName(value));
    auto text = json::serialize(value);
    if (text.size() > 80) text = std::string(firstBytes(text, 77)) + "...";
    return text;
}

std::size_t characters(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// One walk of a document along its schema.
class Walk
{
public:
    Walk(const json::value& schema, const Patterns& patterns) : _root(schema), _patterns(patterns) {}

    void check(const json::value& value, const json::object& unresolved, const std::string& path)
    {
        const auto& schema = resolve(unresolved);
        if (!allowsType(schema, value) || !allowsValue(schema, value))
        {
            fault(path, "expected " + expectation(schema) + ", found " + shown(value));
            return;
        }
        if (const auto* object = value.if_object()) checkObject(*object, schema, path);
        if (const auto* array = value.if_array()) checkArray(*array, schema, path);
    }

    std::vector<SchemaFault> take() { return std::move(_faults); }

private:
    const json::object& resolve(const json::object& schema) const
    {
        const auto* reference = schema.if_contains("$ref");
        return reference ? _root.at_pointer(std::string_view(reference->as_string()).substr(1)).as_object() : schema;
    }

    static bool allowsType(const json::object& schema, const json::value& value)
    {
        const auto* type = schema.if_contains("type");
        if (!type) return true;
        const auto is = [&](const json::value& wanted) { return wanted.as_string() == typeName(value); };
        return type->is_array() ? std::ranges::any_of(type->as_array(), is) : is(*type);
    }

    bool allowsValue(const json::object& schema, const json::value& value) const
    {
        if (const auto* constant = schema.if_contains("const"); constant && *constant != value) return false;
        if (const auto* choices = schema.if_contains("enum");
            choices && std::ranges::find(choices->as_array(), value) == choices->as_array().end())
            return false;
        if (const auto* text = value.if_string()) return allowsText(schema, *text);
        if (typeName(value) == "integer") return allowsNumber(schema, value);
        if (const auto* array = value.if_array())
        {
            if (const auto* least = schema.if_contains("minItems"); least && array->size() < least->to_number<std::size_t>()) return false;
            if (const auto* most = schema.if_contains("maxItems"); most && array->size() > most->to_number<std::size_t>()) return false;
        }
        return true;
    }

    bool allowsText(const json::object& schema, const json::string& text) const
    {
        const auto length = characters(text);
        if (const auto* least = schema.if_contains("minLength"); least && length < least->to_number<std::size_t>()) return false;
        if (const auto* most = schema.if_contains("maxLength"); most && length > most->to_number<std::size_t>()) return false;
        const auto* pattern = schema.if_contains("pattern");
        return !pattern || matches(text, pattern->as_string());
    }

    bool matches(std::string_view text, std::string_view pattern) const
    {
        Poco::RegularExpression::Match where;
        return _patterns.find(pattern)->second->match(std::string(text), 0, where) > 0;
    }

    static bool allowsNumber(const json::object& schema, const json::value& value)
    {
        // An integer beyond 63 bits is beyond every bound that a manifest has.
        if (!value.is_int64()) return false;
        if (const auto* least = schema.if_contains("minimum"); least && value.as_int64() < least->as_int64()) return false;
        const auto* most = schema.if_contains("maximum");
        return !most || value.as_int64() <= most->as_int64();
    }

    static std::string expectation(const json::object& schema)
    {
        if (const auto* description = schema.if_contains("description")) return std::string(description->as_string());
        if (const auto* choices = schema.if_contains("enum")) return "one of " + joined(choices->as_array(), " or ");
        const auto& type = schema.at("type");
        auto text = type.is_array() ? "one of the types " + joined(type.as_array(), " or ") : withArticle(type.as_string());
        if (const auto* least = schema.if_contains("minimum")) text += " from " + json::serialize(*least);
        if (const auto* most = schema.if_contains("maximum")) text += " to " + json::serialize(*most);
        if (const auto* least = schema.if_contains("minLength")) text += " of at least " + json::serialize(*least);
        if (const auto* most = schema.if_contains("maxLength"))
            text += (schema.contains("minLength") ? " and at most " : " of at most ") + json::serialize(*most);
        if (schema.contains("minLength") || schema.contains("maxLength")) text += " characters";
        if (const auto* least = schema.if_contains("minItems")) text += " of at least " + json::serialize(*least) + " element";
        if (const auto* most = schema.if_contains("maxItems")) text += " of at most " + json::serialize(*most) + " elements";
        return text;
    }

    void checkObject(const json::object& object, const json::object& schema, const std::string& path)
    {
        for (const auto& [name, value] : object)
            checkMember(name, value, schema, path.empty() ? std::string(name) : path + "." + std::string(name));
        const auto* required = schema.if_contains("required");
        if (!required) return;
        for (const auto& name : required->as_array())
            if (!object.contains(name.as_string()))
                fault(path, "expected a member '" + std::string(name.as_string()) + "', found none: add it");
    }

    void checkMember(std::string_view name, const json::value& value, const json::object& schema, const std::string& path)
    {
        const auto* properties = schema.if_contains("properties");
        if (const auto* known = properties ? properties->as_object().if_contains(name) : nullptr)
        {
            check(value, known->as_object(), path);
            return;
        }
        if (const auto* names = schema.if_contains("propertyNames"); names && !allowsValue(names->as_object(), json::value(name)))
            fault(path, "expected " + expectation(schema) + ", found the name " + json::serialize(json::value(name)));
        const auto* others = schema.if_contains("additionalProperties");
        if (others && others->is_object())
            check(value, others->as_object(), path);
        else if (others && !others->as_bool())
            unknownMember(name, properties, path);
    }

    void unknownMember(std::string_view name, const json::value* properties, const std::string& path)
    {
        std::vector<std::string> known;
        if (properties)
            for (const auto& [candidate, schema] : properties->as_object()) known.emplace_back(candidate);
        const auto meant = nearestName(name, known);
        fault(path, "there is no such member: " + (meant.empty() ? std::string("remove it") : "did you mean '" + meant + "'?"));
    }

    void checkArray(const json::array& array, const json::object& schema, const std::string& path)
    {
        const auto* items = schema.if_contains("items");
        const auto* unique = schema.if_contains("uniqueItems");
        for (std::size_t i = 0; i < array.size(); ++i)
        {
            const auto element = path + "[" + std::to_string(i) + "]";
            if (items) check(array[i], items->as_object(), element);
            if (unique && unique->as_bool() &&
                std::find(array.begin(), array.begin() + static_cast<std::ptrdiff_t>(i), array[i]) !=
                    array.begin() + static_cast<std::ptrdiff_t>(i))
                fault(element, "expected each element once, found " + shown(array[i]) + " again: remove it");
        }
    }

    void fault(const std::string& path, std::string text) { _faults.push_back({path, std::move(text)}); }

    const json::value& _root;
    const Patterns& _patterns;
    std::vector<SchemaFault> _faults;
};
} // namespace

std::string textOf(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found ? std::string(found->as_string()) : std::string();
}

bool flagOf(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found && found->as_bool();
}

const json::array& listOf(const json::object& object, std::string_view name)
{
    static const json::array none;
    const auto* found = object.if_contains(name);
    return found ? found->as_array() : none;
}

SchemaChecker::SchemaChecker(std::string_view schema)
{
    json::error_code error;
    _schema = json::parse(schema, error);
    if (error || !_schema.is_object()) throw std::invalid_argument("the schema is not a JSON object");
    learn(_schema, _patterns);
}

std::vector<SchemaFault> SchemaChecker::check(const json::value& document) const
{
    Walk walk(_schema, _patterns);
    walk.check(document, _schema.as_object(), "");
    return walk.take();
}

} // namespace portico::host::plugins
