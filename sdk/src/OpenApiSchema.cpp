#include "OpenApi.h"

#include "portico/Json.h"

namespace portico::detail
{

namespace
{

void add(std::string& out, std::string_view name, std::string_view json)
{
    if (out.size() > 1) out += ',';
    appendJsonString(out, name);
    (out += ':') += json;
}

void addText(std::string& out, std::string_view name, std::string_view text)
{
    std::string quoted;
    appendJsonString(quoted, text);
    add(out, name, quoted);
}

void addNumber(std::string& out, std::string_view name, std::int64_t value) { add(out, name, std::to_string(value)); }

void addTextRules(std::string& out, const Rules& rules)
{
    if (rules.format == Format::Email) addText(out, "format", "email");
    if (rules.format == Format::Uri) addText(out, "format", "uri");
    if (rules.format == Format::Date) addText(out, "format", "date");
    if (rules.required && rules.minLength < 1) addNumber(out, "minLength", 1);
    if (rules.minLength >= 1) addNumber(out, "minLength", rules.minLength);
    if (rules.maxLength >= 0) addNumber(out, "maxLength", rules.maxLength);
}

void addRange(std::string& out, const Rules& rules)
{
    if (rules.minimum != std::numeric_limits<std::int64_t>::min()) addNumber(out, "minimum", rules.minimum);
    if (rules.maximum != std::numeric_limits<std::int64_t>::max()) addNumber(out, "maximum", rules.maximum);
}

void addCommon(std::string& out, const Rules& rules)
{
    if (rules.readOnly) add(out, "readOnly", "true");
    if (rules.writeOnly) add(out, "writeOnly", "true");
    if (rules.createOnly) add(out, "x-create-only", "true");
    if (!rules.description.empty())
        addText(out, "description", rules.description);
    else if (rules.format == Format::Pattern)
        addText(out, "description", rules.pattern);
}

std::string recordSchema(const Type& type, Components& components, bool patch = false)
{
    std::string properties = "{", required = "[";
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        if (member.rules.columnOnly || member.rules.flattened || (patch && member.rules.readOnly)) continue;
        add(properties, member.name, openApiSchema(*member.type, &member.rules, components));
        if (!member.rules.required || patch) continue;
        if (required.size() > 1) required += ',';
        appendJsonString(required, member.name);
    }
    std::string out = "{";
    addText(out, "type", "object");
    add(out, "properties", properties + "}");
    if (required.size() > 1) add(out, "required", required + "]");
    return out + "}";
}

std::string choiceSchema(const Type& type)
{
    std::string words = "[";
    for (std::size_t i = 0; i < type.choiceCount; ++i)
    {
        if (i > 0) words += ',';
        appendJsonString(words, type.choices[i]);
    }
    return "{\"type\":\"string\",\"enum\":" + words + "]}";
}

/// A reference to the component of a record or enum, which is made on the first use. The empty entry stops recursion.
std::string reference(const Type& type, const Rules* rules, Components& components)
{
    const std::string name(type.name);
    if (components.emplace(name, "").second)
    {
        auto& schema = components[name];
        schema = type.kind == Kind::Record ? recordSchema(type, components) : choiceSchema(type);
        schema.shrink_to_fit();
    }
    std::string out = "{";
    addText(out, "$ref", "#/components/schemas/" + name);
    if (rules) addCommon(out, *rules);
    return out + "}";
}

std::string optionalSchema(const Type& type, const Rules* rules, Components& components)
{
    std::string inner = openApiSchema(*type.element, rules, components);
    return "{\"anyOf\":[" + inner + ",{\"type\":\"null\"}]}";
}

std::string listSchema(const Type& type, const Rules& rules, Components& components)
{
    Rules ofElements = rules;
    ofElements.required = ofElements.readOnly = ofElements.writeOnly = false;
    ofElements.description = {};
    std::string out = "{";
    addText(out, "type", "array");
    add(out, "items", openApiSchema(*type.element, &ofElements, components));
    if (rules.minItems >= 0) addNumber(out, "minItems", rules.minItems);
    if (rules.maxItems >= 0) addNumber(out, "maxItems", rules.maxItems);
    addCommon(out, rules);
    return out + "}";
}

} // namespace

std::string openApiSchema(const Type& type, const Rules* given, Components& components)
{
    if (type.documentedAs) return openApiSchema(*type.documentedAs, given, components);
    const Rules rules = given ? *given : Rules{};
    std::string out = "{";
    switch (type.kind)
    {
    case Kind::Record:
    case Kind::Choice:
        return reference(type, given, components);
    case Kind::Optional:
        return optionalSchema(type, given, components);
    case Kind::List:
        return listSchema(type, rules, components);
    case Kind::Map:
        addText(out, "type", "object");
        add(out, "additionalProperties", openApiSchema(*type.element, nullptr, components));
        break;
    case Kind::Boolean:
        addText(out, "type", "boolean");
        break;
    case Kind::Integer:
        addText(out, "type", "integer");
        addRange(out, rules);
        break;
    case Kind::Number:
        addText(out, "type", "number");
        addRange(out, rules);
        break;
    case Kind::String:
        addText(out, "type", "string");
        addTextRules(out, rules);
        break;
    case Kind::Formatted:
        addText(out, "type", "string");
        if (rules.format == Format::Date)
            addText(out, "format", "date");
        else if (type.format != "id")
            addText(out, "format", type.format);
        break;
    case Kind::Json:
        break;
    }
    addCommon(out, rules);
    return out + "}";
}

std::string openApiPatchSchema(const Type& type, Components& components)
{
    const std::string name = std::string(type.name) + "Patch";
    if (components.emplace(name, "").second) components[name] = recordSchema(type, components, true);
    return "{\"$ref\":\"#/components/schemas/" + name + "\"}";
}

} // namespace portico::detail
