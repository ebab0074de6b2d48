#include "portico/Json.h"

#include "JsonMembers.h"
#include "Utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace portico
{

namespace
{

constexpr std::array<bool, 256> makeEscapeTable()
{
    std::array<bool, 256> table{};
    for (std::size_t i = 0; i < 0x20; ++i) table[i] = true;
    table['"'] = table['\\'] = table[0x7f] = true;
    return table;
}
constexpr auto mustEscape = makeEscapeTable();

#ifndef NDEBUG
/// A text that was cut within a character is a fault of the program: clients cannot read such JSON (RFC 8259, 8.1).
void requireUtf8(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();)
    {
        const auto length = detail::utf8SequenceLength(text.substr(i));
        if (length == 0)
            throw std::logic_error("JSON: expected a text in UTF-8, found byte " + std::to_string(static_cast<unsigned char>(text[i])) +
                                   " at " + std::to_string(i) + " of " + std::to_string(text.size()) +
                                   "; cut texts with firstCharacters, and clean foreign ones with cleanText");
        i += length;
    }
}
#endif

void appendEscaped(std::string& out, unsigned char c)
{
    constexpr std::string_view hex = "0123456789abcdef";
    switch (c)
    {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        out += "\\u00";
        out += hex[c >> 4];
        out += hex[c & 15];
    }
}

} // namespace

void appendJsonString(std::string& out, std::string_view text)
{
#ifndef NDEBUG
    requireUtf8(text);
#endif
    out += '"';
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const auto c = static_cast<unsigned char>(text[i]);
        if (!mustEscape[c]) continue;
        out.append(text, from, i - from);
        appendEscaped(out, c);
        from = i + 1;
    }
    out.append(text, from);
    out += '"';
}

namespace detail
{

namespace
{

/// Destination of the text: a client, or a column that this program reads.
enum class Reader : bool
{
    Client,
    Store
};

void write(std::string& out, const Type& type, const void* value, Reader reader, const FieldSelection* fields = nullptr);

void writeNumber(std::string& out, double value)
{
    if (!std::isfinite(value))
    {
        out += "null";
        return;
    }
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    out.append(buffer.data(), end);
}

void writeInteger(std::string& out, const Type& type, std::int64_t value)
{
    std::array<char, 24> buffer;
    const auto end = type.isSigned ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr
                                   : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<std::uint64_t>(value)).ptr;
    out.append(buffer.data(), end);
}

bool isAbsent(const Type& type, const void* value)
{
    if (type.kind == Kind::Optional) return type.value(value) == nullptr;
    if (type.kind == Kind::List || type.kind == Kind::Map) return type.size(value) == 0;
    if (type.kind == Kind::String) return static_cast<const std::string*>(value)->empty();
    return false;
}

bool isWritten(const Member& member, const void* held, Reader reader)
{
    if (reader == Reader::Store) return true;
    if (member.rules.columnOnly || member.rules.writeOnly) return false;
    return !member.rules.omitEmpty || !isAbsent(*member.type, held);
}

/// Writes a member's name with its quotes, colon and comma. Fast, because lists of records write thousands of names.
void writeName(std::string& out, std::string_view name, bool first)
{
    const auto start = out.size();
    out.resize(start + name.size() + (first ? 3 : 4));
    char* to = out.data() + start;
    if (!first) *to++ = ',';
    *to++ = '"';
    to = std::copy(name.begin(), name.end(), to);
    *to++ = '"';
    *to = ':';
}

void writeRecordValue(std::string& out, const Type& type, const void* value, Reader reader, const FieldSelection* fields)
{
    out += '{';
    bool first = true;
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        const void* held = member.reach(const_cast<void*>(value));
        if (member.rules.flattened && reader == Reader::Client)
        {
            appendMembers(out, static_cast<const Json*>(held)->text, fields, first);
            first = out.back() == '{';
            continue;
        }
        if (!isSelected(fields, member.name) || !isWritten(member, held, reader)) continue;
        writeName(out, member.name, first);
        first = false;
        write(out, *member.type, held, reader);
    }
    out += '}';
}

void writeMap(std::string& out, const Type& type, const void* value, Reader reader)
{
    struct State
    {
        std::string& out;
        const Type& element;
        Reader reader;
        bool first = true;
    } state{out, *type.element, reader};
    out += '{';
    type.each(value, &state,
              [](void* context, std::string_view key, const void* held)
              {
                  auto& s = *static_cast<State*>(context);
                  if (!s.first) s.out += ',';
                  s.first = false;
                  appendJsonString(s.out, key);
                  s.out += ':';
                  write(s.out, s.element, held, s.reader);
              });
    out += '}';
}

void writeList(std::string& out, const Type& type, const void* value, Reader reader)
{
    out += '[';
    const std::size_t count = type.size(value);
    for (std::size_t i = 0; i < count; ++i)
    {
        if (i > 0) out += ',';
        write(out, *type.element, type.at(value, i), reader);
    }
    out += ']';
}

/// Writes ids and instants, which are plain ASCII; an empty one becomes null.
void writeFormatted(std::string& out, const Type& type, const void* value)
{
    const auto start = out.size();
    out += '"';
    type.print(value, out);
    if (out.size() == start + 1)
        out.replace(start, 1, "null");
    else
        out += '"';
}

void write(std::string& out, const Type& type, const void* value, Reader reader, const FieldSelection* fields)
{
    switch (type.kind)
    {
    case Kind::Boolean:
        out += type.getInteger(value) != 0 ? "true" : "false";
        return;
    case Kind::Integer:
        writeInteger(out, type, type.getInteger(value));
        return;
    case Kind::Number:
        writeNumber(out, type.getNumber(value));
        return;
    case Kind::String:
        appendJsonString(out, *static_cast<const std::string*>(value));
        return;
    case Kind::Formatted:
        writeFormatted(out, type, value);
        return;
    case Kind::Choice:
        appendJsonString(out, type.choices[static_cast<std::size_t>(type.getInteger(value))]);
        return;
    case Kind::Json:
        out += static_cast<const Json*>(value)->text;
        return;
    case Kind::Record:
        writeRecordValue(out, type, value, reader, fields);
        return;
    case Kind::List:
        writeList(out, type, value, reader);
        return;
    case Kind::Map:
        writeMap(out, type, value, reader);
        return;
    case Kind::Optional:
        if (const void* held = type.value(value))
            write(out, *type.element, held, reader);
        else
            out += "null";
        return;
    }
}

} // namespace

void writeJson(std::string& out, const Type& type, const void* value, const FieldSelection* fields)
{
    write(out, type, value, Reader::Client, fields);
}

void writeStored(std::string& out, const Type& type, const void* value) { write(out, type, value, Reader::Store); }

} // namespace detail

} // namespace portico
