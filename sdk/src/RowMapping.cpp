#include "RowValues.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <utility>

namespace portico::detail
{

namespace
{

bool isUpper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
char lowered(char c) noexcept { return static_cast<char>(c - 'A' + 'a'); }

/// `firstName` and `first_name`, compared without making a text: this runs for every member of every row.
bool isNamed(std::string_view column, const Member& member) noexcept
{
    if (!member.rules.column.empty()) return column == member.rules.column;
    std::size_t at = 0;
    for (char c : member.name)
    {
        if (isUpper(c))
        {
            if (at == column.size() || column[at++] != '_') return false;
            c = lowered(c);
        }
        if (at == column.size() || column[at++] != c) return false;
    }
    return at == column.size();
}

/// Columns mostly come in the order of the members, so `expected` is looked at first. -1: there is none.
int columnOf(const Cursor& cursor, const Member& member, int expected) noexcept
{
    const int count = cursor.columnCount();
    if (expected < count && isNamed(cursor.columnName(expected), member)) return expected;
    for (int column = 0; column < count; ++column)
        if (isNamed(cursor.columnName(column), member)) return column;
    return -1;
}

bool isInstant(const Type& type) noexcept { return type.kind == Kind::Formatted && type.format == "date-time"; }

/// Returns true for types that read null as empty: ids, JSON, lists, maps and records.
bool isEmptyWhenNull(const Type& type) noexcept
{
    if (type.kind == Kind::Formatted) return !isInstant(type);
    return type.kind == Kind::Optional || type.kind == Kind::Record || type.kind == Kind::List || type.kind == Kind::Map ||
           type.kind == Kind::Json;
}

void readNull(const Cursor& cursor, int column, const Type& type, void* value)
{
    if (!isEmptyWhenNull(type)) throwUnexpectedNull(cursor, column);
    type.reset(value);
}

void appendColumnName(std::string& text, const Member& member)
{
    if (!member.rules.column.empty())
    {
        text += member.rules.column;
        return;
    }
    for (const char c : member.name)
    {
        if (isUpper(c)) text += '_';
        text += isUpper(c) ? lowered(c) : c;
    }
}

bool readStoredJson(std::string_view text, const Type& type, void* value)
{
    try
    {
        readJson(text, type, value, ReadMode::Stored);
        return true;
    }
    catch (const Problem&) // the fault is the database's, not the client's
    {
        return false;
    }
}

bool readChoice(std::string_view text, const Type& type, void* value)
{
    for (std::size_t i = 0; i < type.choiceCount; ++i)
        if (type.choices[i] == text) return type.setInteger(value, static_cast<std::int64_t>(i));
    return false;
}

bool readFilled(const Cursor& cursor, int column, const Type& type, void* value)
{
    switch (type.kind)
    {
    case Kind::Boolean:
        return type.setInteger(value, cursor.boolean(column) ? 1 : 0);
    case Kind::Integer:
        return type.setInteger(value, cursor.integer(column));
    case Kind::Number:
        type.setNumber(value, cursor.number(column));
        return true;
    case Kind::String:
        *static_cast<std::string*>(value) = cursor.text(column);
        return true;
    case Kind::Formatted:
        if (!isInstant(type)) return type.parse(value, cursor.text(column));
        *static_cast<Instant*>(value) = fromMillis(cursor.integer(column));
        return true;
    case Kind::Choice:
        return readChoice(cursor.text(column), type, value);
    case Kind::Json:
        static_cast<Json*>(value)->text = cursor.text(column);
        return true;
    case Kind::Optional:
        return readFilled(cursor, column, *type.element, type.engage(value));
    case Kind::Record:
    case Kind::List:
    case Kind::Map:
        return readStoredJson(cursor.text(column), type, value);
    }
    return false;
}

} // namespace

SqlValue columnValueOf(const Type& type, const void* value, std::string& made)
{
    switch (type.kind)
    {
    case Kind::Boolean:
        return SqlValue(type.getInteger(value) != 0);
    case Kind::Integer:
        return SqlValue(type.getInteger(value));
    case Kind::Number:
        return SqlValue(type.getNumber(value));
    case Kind::String:
        return SqlValue(*static_cast<const std::string*>(value));
    case Kind::Json:
        return SqlValue(static_cast<const Json*>(value)->text);
    case Kind::Choice:
        return SqlValue(type.choices[static_cast<std::size_t>(type.getInteger(value))]);
    case Kind::Optional:
    {
        const void* held = type.value(value);
        return held ? columnValueOf(*type.element, held, made) : SqlValue(nullptr);
    }
    case Kind::Formatted:
        if (isInstant(type)) return SqlValue(*static_cast<const Instant*>(value));
        type.print(value, made);
        return made.empty() ? SqlValue(nullptr) : SqlValue(made); // an empty id is none
    case Kind::Record:
    case Kind::List:
    case Kind::Map:
        writeStored(made, type, value);
        return SqlValue(made);
    }
    return SqlValue(nullptr);
}

std::size_t columnCount(const Type& type) noexcept
{
    return static_cast<std::size_t>(
        std::count_if(type.members, type.members + type.memberCount, [](const Member& member) { return member.rules.stored; }));
}

std::string columnName(const Member& member)
{
    std::string name;
    appendColumnName(name, member);
    return name;
}

void readRecord(const Cursor& cursor, const Type& type, void* record)
{
    int expected = 0;
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        if (!member.rules.stored) continue;
        const int column = columnOf(cursor, member, expected);
        if (column < 0) continue;
        expected = column + 1;
        void* value = member.reach(record);
        if (cursor.isNull(column))
            readNull(cursor, column, *member.type, value);
        else if (!readFilled(cursor, column, *member.type, value))
            throwBadColumn(cursor, column);
    }
}

std::string columnList(const Type& type, std::string_view prefix)
{
    std::string list;
    list.reserve(type.memberCount * 16);
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        if (!type.members[i].rules.stored) continue;
        if (!list.empty()) list += ", ";
        appendColumnName(list += prefix, type.members[i]);
    }
    return list;
}

std::string insertText(const Type& type, std::string_view table, std::span<const std::string_view> extraColumns)
{
    std::string columns = columnList(type, {});
    for (auto column : extraColumns) (columns += columns.empty() ? "" : ", ") += column;
    const std::size_t count = extraColumns.size() + columnCount(type);
    std::string values;
    for (std::size_t i = 1; i <= count; ++i) (values += i == 1 ? "$" : ", $") += std::to_string(i);
    std::string text = "INSERT INTO ";
    text += table;
    return text + " (" + columns + ") VALUES (" + values + ")";
}

std::string updateText(const Type& type, std::string_view table, std::span<const std::string_view> extraColumns,
                       std::span<const std::string_view> keyColumns)
{
    std::string text = "UPDATE ";
    text += table;
    std::size_t count = 0;
    const auto assign = [&](std::string_view before, std::string_view column)
    { (((text += before) += column) += " = $") += std::to_string(++count); };
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        if (!type.members[i].rules.stored) continue;
        assign(count == 0 ? " SET " : ", ", columnName(type.members[i]));
    }
    for (const auto column : extraColumns) assign(count == 0 ? " SET " : ", ", column);
    bool first = true;
    for (const auto column : keyColumns) assign(std::exchange(first, false) ? " WHERE " : " AND ", column);
    return text;
}

void recordValues(const Type& type, const void* record, std::vector<SqlValue>& values, std::vector<std::string>& keep)
{
    keep.reserve(keep.size() + type.memberCount); // short texts move with their string, and views of them would dangle
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        if (member.rules.stored)
            values.push_back(columnValueOf(*member.type, member.reach(const_cast<void*>(record)), keep.emplace_back()));
    }
}

} // namespace portico::detail
