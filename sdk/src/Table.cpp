#include "portico/Table.h"

#include "RowValues.h"

#include <algorithm>
#include <array>

namespace portico::detail
{

namespace
{

/// Rows of one statement: few texts of SQL, so that each is prepared once.
constexpr std::array<std::size_t, 4> rowsPerStatement{100, 20, 5, 1};

bool sameValue(const SqlValue& one, const SqlValue& other)
{
    const auto* bytes = std::get_if<std::span<const char>>(&one.value);
    const auto* others = std::get_if<std::span<const char>>(&other.value);
    if (bytes && others) return std::ranges::equal(*bytes, *others);
    if (bytes || others || one.value.index() != other.value.index()) return false;
    return std::visit(
        [&](const auto& value)
        {
            using V = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::same_as<V, std::span<const char>>)
                return false;
            else
                return value == std::get<V>(other.value);
        },
        one.value);
}

/// Returns true if the columns of a clash on SQLite (`topic.organization_id, topic.name`) contain the column of this member.
bool concerns(std::string_view columns, const Type& type, std::string_view field)
{
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        if (type.members[i].name != field) continue;
        const auto column = "." + columnName(type.members[i]);
        const auto at = columns.find(column);
        return at != std::string_view::npos && (at + column.size() == columns.size() || columns[at + column.size()] == ',');
    }
    return false;
}

/// Runs a write; a clash that the table knows becomes its problem. PostgreSQL reports the index, SQLite its columns.
std::int64_t writeRow(Session& session, std::string_view sql, std::span<const SqlValue> values, const Type& type,
                      const UniqueIndexes& unique)
{
    if (unique.first.index.empty()) return session.executeValues(sql, values);
    try
    {
        return session.executeValues(sql, values);
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        for (const auto* each : {&unique.first, &unique.second, &unique.third, &unique.fourth})
        {
            if (each->index.empty()) continue;
            const bool bySqlite = session.dialect() == Dialect::SQLite && concerns(error.constraint(), type, each->field);
            if (error.constraint() != each->index && !bySqlite) continue;
            auto problem = Problem::conflict(each->code, each->message);
            if (!each->field.empty()) problem.with({std::string(each->field), std::string(each->code), std::string(each->message)});
            throw problem;
        }
        throw;
    }
}

std::string manyRows(std::string_view sql, std::size_t rows, std::size_t columns)
{
    std::string text(sql);
    for (std::size_t i = 0; i < rows * columns; ++i)
        ((text += i % columns != 0 ? ", $" : i == 0 ? "($" : "), ($") += std::to_string(i + 1));
    return text + ")";
}

} // namespace

bool readRow(Session& session, std::string_view sql, std::span<const SqlValue> values, const Type& type, void* record)
{
    const auto cursor = session.connection().query(sql, values);
    if (!cursor->next()) return false;
    readRecord(*cursor, type, record);
    return true;
}

void insertRow(Session& session, std::string_view sql, const Type& type, const void* record, const std::optional<Tenant>& tenant,
               const UniqueIndexes& unique)
{
    std::vector<SqlValue> values;
    std::vector<std::string> kept;
    recordValues(type, record, values, kept);
    if (tenant) values.emplace_back(*tenant);
    writeRow(session, sql, values, type, unique);
}

bool insertRowIfAbsent(Session& session, std::string_view sql, const Type& type, const void* record, const std::optional<Tenant>& tenant)
{
    std::vector<SqlValue> values;
    std::vector<std::string> kept;
    recordValues(type, record, values, kept);
    if (tenant) values.emplace_back(*tenant);
    return session.executeValues(std::string(sql) + " ON CONFLICT DO NOTHING", values) > 0;
}

void insertRows(Session& session, std::string_view sql, const Type& type, const void* records, std::size_t count, std::size_t size,
                const std::optional<Tenant>& tenant, const UniqueIndexes& unique)
{
    const auto* next = static_cast<const char*>(records);
    const auto columns = columnCount(type) + (tenant ? 1 : 0);
    for (const auto rows : rowsPerStatement)
    {
        if (count < rows) continue;
        const auto text = manyRows(sql, rows, columns);
        for (; count >= rows; count -= rows)
        {
            std::vector<SqlValue> values;
            std::vector<std::string> kept;
            values.reserve(rows * columns);
            kept.reserve(rows * columns); // texts must not move
            for (std::size_t row = 0; row < rows; ++row, next += size)
            {
                recordValues(type, next, values, kept);
                if (tenant) values.emplace_back(*tenant);
            }
            writeRow(session, text, values, type, unique);
        }
    }
}

bool updateRow(Session& session, std::string_view sql, const Type& type, const void* record, std::span<const SqlValue> keys,
               const UniqueIndexes& unique)
{
    std::vector<SqlValue> values;
    std::vector<std::string> kept;
    recordValues(type, record, values, kept);
    values.insert(values.end(), keys.begin(), keys.end());
    return writeRow(session, sql, values, type, unique) > 0;
}

void throwRowChanged() { throw DatabaseError(DatabaseError::Kind::Serialization, "40001", "", "Another transaction changed the row"); }

bool sameRow(const Type& type, const void* one, const void* other)
{
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const Member& member = type.members[i];
        if (!member.rules.stored) continue;
        std::string made, otherMade;
        if (!sameValue(columnValueOf(*member.type, member.reach(const_cast<void*>(one)), made),
                       columnValueOf(*member.type, member.reach(const_cast<void*>(other)), otherMade)))
            return false;
    }
    return true;
}

} // namespace portico::detail
