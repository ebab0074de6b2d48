#include "portico/Form.h"

#include "MediaTypes.h"
#include "OpenApi.h"
#include "TextReader.h"

#include "portico/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace portico
{

namespace
{

bool isFormContentType(std::string_view value) { return detail::isUtf8Type(value, {"application/x-www-form-urlencoded"}); }

} // namespace

FormValues formValues(const RawBody& body)
{
    const bool nothing = body.contentType.empty() && body.data.empty();
    if (!nothing && !isFormContentType(body.contentType))
        throw Problem(415, "unsupported_media_type", "This route takes application/x-www-form-urlencoded in UTF-8.");
    return parseForm(body.data);
}

std::string_view formValue(const FormValues& values, std::string_view name) noexcept
{
    const auto found = std::ranges::find(values, name, &FormValues::value_type::first);
    return found == values.end() ? std::string_view() : std::string_view(found->second);
}

namespace detail
{

namespace
{

const Type& innerType(const Type& type) { return type.kind == Kind::Optional || type.kind == Kind::List ? innerType(*type.element) : type; }

bool isList(const Type& type) { return type.kind == Kind::List || (type.kind == Kind::Optional && isList(*type.element)); }

/// Place of the member that a field fills; the number of members for none.
std::size_t memberOf(const Type& type, std::string_view name)
{
    std::size_t i = 0;
    while (i < type.memberCount && (type.members[i].name != name || type.members[i].rules.columnOnly || type.members[i].rules.flattened))
        ++i;
    return i;
}

/// Browsers send `\r\n` for each line end of a text area, which its `maxlength` counts as one character.
std::string withPlainLineEnds(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r')
            plain += text[i];
        else if (i + 1 == text.size() || text[i + 1] != '\n')
            plain += '\n';
    return plain;
}

/// Reads the fields of a form into a record.
class FormReader
{
public:
    FormReader(const Type& type, void* value, FormInput& input) : _type(type), _value(value), _input(input)
    {
        _input.seen.resize(type.memberCount);
    }

    void read(FormValues sent)
    {
        for (auto& [name, text] : sent) take(name, text);
        std::erase_if(sent, [](const auto& field) { return field.first == formTokenField; });
        _input.values = std::move(sent);
        for (std::size_t i = 0; i < _type.memberCount; ++i) endMember(i);
    }

    Faults& faults() { return _faults; }

private:
    void take(const std::string& name, const std::string& text)
    {
        if (name == formTokenField)
        {
            if (_input.token.empty())
                _input.token = text;
            else
                addOnce(name, "duplicate", "Sent more than once");
            return;
        }
        const auto place = memberOf(_type, name);
        if (place == _type.memberCount) return addUnknown(name);
        const auto& member = _type.members[place];
        const bool again = _input.seen[place];
        _input.seen[place] = true;
        if (member.rules.readOnly) return;
        if (again && !isList(*member.type)) return addOnce(name, "duplicate", "Sent more than once");
        readInto(member, text, again);
    }

    void addUnknown(const std::string& name)
    {
        if (std::ranges::find(_told, name) != _told.end() || _told.size() > maxReported) return;
        _told.push_back(name);
        _faults.addUnknown(name);
    }

    void addOnce(const std::string& name, std::string_view code, std::string_view message)
    {
        if (std::ranges::find(_told, name) != _told.end() || _told.size() > maxReported) return;
        _told.push_back(name);
        _faults.add(name, code, message);
    }

    void readInto(const Member& member, std::string_view sent, bool again)
    {
        const auto text = member.rules.trimmed || innerType(*member.type).kind != Kind::String ? trim(sent) : sent;
        const Type* type = member.type;
        void* target = member.reach(_value);
        // A sent value replaces the default.
        if (!again && type->kind != Kind::String) type->reset(target);
        if (text.empty() && (type->kind == Kind::Optional || innerType(*type).kind != Kind::String || isList(*type))) return;
        _filled.push_back(&member);
        while (type->kind == Kind::Optional || type->kind == Kind::List)
        {
            target = type->kind == Kind::Optional ? type->engage(target) : type->append(target);
            type = type->element;
        }
        readValue(*type, target, text, member);
    }

    void readValue(const Type& type, void* target, std::string_view text, const Member& member)
    {
        switch (type.kind)
        {
        case Kind::String:
            *static_cast<std::string*>(target) = withPlainLineEnds(text);
            return;
        case Kind::Boolean:
            if (text == "true" || text == "on" || text == "1")
                type.setInteger(target, 1);
            else if (text == "false" || text == "off" || text == "0")
                type.setInteger(target, 0);
            else
                add(member, "wrong_type", "Expected true or false, found text");
            return;
        case Kind::Integer:
            return readInteger(type, target, text, member);
        case Kind::Number:
            return readNumber(type, target, text, member);
        case Kind::Formatted:
            if (!type.parse(target, text)) addUnparsed(_faults, member.name, type, &member.rules);
            return;
        default:
            if (!readText(text, type, target)) add(member, "unknown_option", "Not one of " + options(type));
        }
    }

    void readInteger(const Type& type, void* target, std::string_view text, const Member& member)
    {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc::invalid_argument || end != text.data() + text.size())
            add(member, "wrong_type", "Expected an integer, found text");
        else if (error != std::errc{} || !type.setInteger(target, number))
            add(member, "out_of_range", "The number is too large or too small");
    }

    void readNumber(const Type& type, void* target, std::string_view text, const Member& member)
    {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc::invalid_argument || end != text.data() + text.size() || !std::isfinite(number))
            add(member, "wrong_type", "Expected a number, found text");
        else if (error != std::errc{})
            add(member, "out_of_range", "The number is too large or too small");
        else
            type.setNumber(target, number);
    }

    void endMember(std::size_t place)
    {
        const auto& member = _type.members[place];
        if (member.rules.readOnly || member.rules.columnOnly || member.rules.flattened) return;
        const bool filled = std::ranges::find(_filled, &member) != _filled.end();
        // An unchecked box is not sent at all.
        if (!_input.seen[place] && member.type->kind == Kind::Boolean) member.type->setInteger(member.reach(_value), 0);
        if (!member.rules.required || filled || (_input.seen[place] && member.type->kind == Kind::String)) return;
        add(member, "required", _input.seen[place] ? "Must have a value" : "Must be present");
    }

    void add(const Member& member, std::string_view code, std::string_view message)
    {
        _faults.add(std::string(member.name), code, message);
    }

    static constexpr std::size_t maxReported = 100;
    const Type& _type;
    void* _value;
    FormInput& _input;
    Faults _faults;
    /// Fields about which the faults say something that is not about their value.
    std::vector<std::string> _told;
    /// Members that a field has given a value.
    std::vector<const Member*> _filled;
};

void appendShown(std::string& out, const Type& type, const void* value)
{
    switch (type.kind)
    {
    case Kind::String:
        out += *static_cast<const std::string*>(value);
        return;
    case Kind::Boolean:
        out += type.getInteger(value) != 0 ? "true" : "false";
        return;
    case Kind::Integer:
        out += type.isSigned ? std::to_string(type.getInteger(value)) : std::to_string(static_cast<std::uint64_t>(type.getInteger(value)));
        return;
    case Kind::Number:
    {
        std::array<char, 32> digits{};
        out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), type.getNumber(value)).ptr);
        return;
    }
    case Kind::Formatted:
        return type.print(value, out);
    case Kind::Choice:
        if (const auto index = static_cast<std::size_t>(type.getInteger(value)); index < type.choiceCount) out += type.choices[index];
        return;
    case Kind::Optional:
        if (const auto* held = type.value(value)) appendShown(out, *type.element, held);
        return;
    case Kind::List:
        for (std::size_t i = 0; i < type.size(value); ++i)
        {
            if (i > 0) out += ", ";
            appendShown(out, *type.element, type.at(value, i));
        }
        return;
    default:
        return;
    }
}

bool isOn(std::string_view text) { return text == "true" || text == "on" || text == "1"; }

} // namespace

FormInput readForm(FormValues fields, const Type& type, void* value)
{
    FormInput input;
    FormReader reader(type, value, input);
    reader.read(std::move(fields));
    auto& faults = reader.faults();
    Faults rules;
    if (faults.empty())
        validateRecord(type, value, rules);
    else
        validateMembers(type, value, rules);
    faults.addRest(rules);
    try
    {
        faults.raise();
    }
    catch (Problem& problem)
    {
        input.problem = std::move(problem);
    }
    return input;
}

void showValues(const Type& type, const void* record, FormField* fields)
{
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const auto& member = type.members[i];
        if (!isShown(member)) continue;
        const void* value = member.reach(const_cast<void*>(record));
        fields[i].value.clear();
        appendShown(fields[i].value, *member.type, value);
        fields[i].checked = innerType(*member.type).kind == Kind::Boolean && fields[i].value == "true";
    }
}

void showSent(const Type& type, const FormValues& values, FormField* fields)
{
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        fields[i].value.clear();
        fields[i].checked = false;
    }
    for (const auto& [name, text] : values)
    {
        const auto place = memberOf(type, name);
        if (place == type.memberCount || !isShown(type.members[place])) continue;
        auto& field = fields[place];
        // A repeated field that is no list shows its first value.
        if (isList(*type.members[place].type))
            field.value.append(field.value.empty() ? "" : ", ").append(text);
        else if (field.value.empty())
            field.value = text;
        field.checked = innerType(*type.members[place].type).kind == Kind::Boolean && isOn(field.value);
    }
}

} // namespace detail

} // namespace portico
