#include "host/ctl/RecordFields.h"

#include "host/control/Refused.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace portico::host::ctl
{

using control::Refused;

namespace
{

using Type = RecordField::Type;

struct TypeWords
{
    std::string_view name;
    Type type;
    std::string_view member; ///< Type of the member and its beginning value
    std::string_view value;
    std::string_view column;
    std::string_view input; ///< Type of the input in HTML
    std::string_view typescript;
};

constexpr std::array<TypeWords, 6> types{{
    {"text", Type::Text, "std::string", "", "TEXT NOT NULL", "", "string"},
    {"integer", Type::Integer, "std::int64_t", " = 0", "BIGINT NOT NULL", "number", "number"},
    {"number", Type::Number, "double", " = 0", "DOUBLE PRECISION NOT NULL", "number", "number"},
    {"boolean", Type::Boolean, "bool", " = false", "BOOLEAN NOT NULL", "checkbox", "boolean"},
    {"date", Type::Date, "std::optional<portico::LocalDate>", "", "TEXT", "date", "string | null"},
    {"date-time", Type::Instant, "std::optional<portico::Instant>", "", "BIGINT", "", "string | null"},
}};

const TypeWords& wordsOf(const RecordField& field)
{
    return *std::find_if(types.begin(), types.end(), [&](const TypeWords& each) { return each.type == field.type; });
}

/// Members of every record, words of C++ and SQL, and other members of the template.
constexpr std::string_view takenNames =
    " id title authorId createdAt updatedAt version organizationId and auto bool break case char class const default delete do double else "
    "enum explicit export false float for friend goto if inline int long mutable namespace new not operator or order private protected "
    "public register return select short signed sizeof static struct switch table template this throw true try typedef typeid typename "
    "union unsigned user using virtual void volatile where while xor group from index primary references check column values ";

[[noreturn]] void refuseField(std::string_view text, std::string_view why)
{
    std::string known;
    for (const auto& each : types) (known += known.empty() ? "" : ", ") += each.name;
    throw Refused("invalid_field", "The field '" + std::string(text) + "' cannot be made: " + std::string(why) +
                                       " Expected name:type, for example price:integer; the name in camelCase, the type one of " + known +
                                       ".");
}

bool isName(std::string_view name)
{
    constexpr std::size_t longest = 40;
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    return name.size() >= 2 && name.size() <= longest && isLower(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return isLower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

RecordField fieldFrom(std::string_view text)
{
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) refuseField(text, "it has no type.");
    const auto name = text.substr(0, colon), type = text.substr(colon + 1);
    if (!isName(name)) refuseField(text, "a name is 2 to 40 letters and digits and begins with a lower-case letter.");
    if (takenNames.find(" " + std::string(name) + " ") != std::string_view::npos) refuseField(text, "that name has a meaning already.");
    const auto found = std::find_if(types.begin(), types.end(), [&](const TypeWords& each) { return each.name == type; });
    if (found == types.end()) refuseField(text, "there is no such type.");
    return {std::string(name), found->type};
}

/// `purchase_price`, or `Purchase price`.
std::string spelled(std::string_view name, char between)
{
    std::string text;
    for (const char c : name)
    {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper) text += between;
        text += upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

std::string label(std::string_view name)
{
    auto text = spelled(name, ' ');
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string indented(std::string_view line) { return std::string(line.substr(0, line.find_first_not_of(' '))); }

/// A line of the template about its field `text`, found by its content, and the lines of one field; null: the line is removed.
struct Place
{
    std::string_view mark;
    std::string (*line)(const RecordField& field);
};

std::string column(const RecordField& field)
{
    constexpr std::size_t width = 15;
    auto name = spelled(field.name, '_');
    name.resize(std::max(width, name.size()), ' ');
    return name + ' ' + std::string(wordsOf(field).column) + ",";
}

std::string input(const RecordField& field)
{
    const auto type = wordsOf(field).input;
    return "<label>{{messages.pages.notes.fields." + field.name + "}} <input name=\"" + field.name + "\"" +
           (type.empty() ? "" : " type=\"" + std::string(type) + "\"") + (field.type == Type::Number ? " step=\"any\"" : "") + "></label>";
}

constexpr Place places[] = {
    {"    std::string text;", [](const RecordField& field)
     { return std::string(wordsOf(field).member) + ' ' + field.name + std::string(wordsOf(field).value) + ';'; }},
    {"    text            TEXT NOT NULL,", column},
    {"<textarea name=\"text\"", input},
    {"\"text\": \"Text\",", [](const RecordField& field) { return '"' + field.name + "\": \"" + label(field.name) + "\","; }},
    {"\"notes.field.text\":",
     [](const RecordField& field) { return "\"notes.field." + field.name + "\": \"" + label(field.name) + "\","; }},
    {"            text?: string;",
     [](const RecordField& field) { return field.name + "?: " + std::string(wordsOf(field).typescript) + ';'; }},
    {"/text\"))", nullptr},
    {"name: \"Add Text\"", nullptr},
    {"name: \"Text\"", nullptr},
    {"name: \"Edit Text\"", nullptr},
    {"At noon", nullptr},
};

/// Replacements for parts of lines.
std::string described(const std::vector<RecordField>& fields)
{
    std::string text;
    for (const auto& field : fields)
        text += "field<&Note::" + field.name + ">()" +
                (field.type == Type::Text   ? ".maxLength(10'000)"
                 : field.type == Type::Date ? ".date()"
                                            : "") +
                ",\n                    ";
    return text;
}

std::string namedInType(const std::vector<RecordField>& fields)
{
    std::string text;
    for (const auto& field : fields) text += '"' + field.name + "\" | ";
    return text;
}

std::string formed(const std::vector<RecordField>& fields)
{
    std::string text;
    for (const auto& field : fields) text += (text.empty() ? "" : ", ") + field.name + ": {}";
    return text;
}

std::string shown(const std::vector<RecordField>& fields)
{
    std::string text;
    for (const auto& field : fields) text += (text.empty() ? "" : ", ") + ("note." + field.name);
    return "[" + text + "].filter((value) => value !== null && value !== \"\").join(\", \")";
}

void replace(std::string& text, std::string_view part, const std::string& by)
{
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size())) text.replace(at, part.size(), by);
}

std::string kept(std::string_view word) { return std::string(word.substr(0, 1)) + keptWord + std::string(word.substr(1)); }

bool has(const std::vector<RecordField>& fields, Type type)
{
    return std::any_of(fields.begin(), fields.end(), [&](const RecordField& field) { return field.type == type; });
}

std::string includes(const std::vector<RecordField>& fields)
{
    std::string text = has(fields, Type::Date) ? "#include \"portico/LocalDate.h\"\n" : "";
    text += "#include \"portico/Table.h\"\n\n";
    if (has(fields, Type::Integer)) text += "#include <cstdint>\n";
    if (has(fields, Type::Date) || has(fields, Type::Instant)) text += "#include <optional>\n";
    return text;
}

} // namespace

std::vector<RecordField> recordFields(std::string_view text)
{
    std::vector<RecordField> fields;
    std::set<std::string> names;
    while (!text.empty())
    {
        const auto comma = std::min(text.find(','), text.size());
        const auto one = text.substr(0, comma);
        fields.push_back(fieldFrom(one));
        if (!names.insert(fields.back().name).second) refuseField(one, "it is there already.");
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return fields;
}

std::string withFields(std::string_view file, std::string_view text, const std::vector<RecordField>& given)
{
    auto fields = given;
    for (auto& field : fields)
        for (const std::string_view word : {"note", "Note", "acme", "Acme", "ACME"}) replace(field.name, word, kept(word));
    std::string out;
    while (!text.empty())
    {
        const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        const auto* place = std::find_if(std::begin(places), std::end(places),
                                         [&](const Place& each) { return line.find(each.mark) != std::string_view::npos; });
        if (place == std::end(places))
            out += line;
        else if (place->line)
            for (const auto& field : fields) out += indented(line) + place->line(field) + '\n';
        text.remove_prefix(line.size());
    }
    replace(out, "field<&Note::text>().maxLength(10'000), ", described(fields));
    replace(out, "text: { multiline: true }", formed(fields));
    replace(out, "note.text", shown(fields));
    replace(out, R"("text" | )", namedInType(fields));
    for (const std::string_view body : {R"(,"text":"Milk\nBread")", R"(,"text":"fed")"}) replace(out, body, "");
    if (file.ends_with("Note.h")) replace(out, "#include \"portico/Table.h\"\n\n", includes(fields));
    return out;
}

} // namespace portico::host::ctl
