#include "host/data/sqlite/SqliteStatement.h"

#include "host/data/SqlText.h"

#include "portico/Http.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <sqlite3.h>
#include <string>

namespace portico::host::data
{

namespace
{

using Kind = DatabaseError::Kind;

struct Class
{
    int code;
    Kind kind;
    const char* sqlState;
};

// Extended codes before their primary ones: the first match is used.
constexpr auto classes = std::to_array<Class>({
    {SQLITE_CONSTRAINT_UNIQUE, Kind::UniqueViolation, "23505"},
    {SQLITE_CONSTRAINT_PRIMARYKEY, Kind::UniqueViolation, "23505"},
    {SQLITE_CONSTRAINT_ROWID, Kind::UniqueViolation, "23505"},
    {SQLITE_CONSTRAINT_FOREIGNKEY, Kind::ForeignKeyViolation, "23503"},
    {SQLITE_CONSTRAINT_CHECK, Kind::CheckViolation, "23514"},
    {SQLITE_CONSTRAINT_NOTNULL, Kind::CheckViolation, "23502"},
    {SQLITE_CONSTRAINT_TRIGGER, Kind::Other, "P0001"},
    {SQLITE_CONSTRAINT_DATATYPE, Kind::Other, "42804"},
    {SQLITE_CONSTRAINT, Kind::Other, "23000"},
    {SQLITE_BUSY_SNAPSHOT, Kind::Serialization, "40001"},
    {SQLITE_BUSY, Kind::Busy, "55P03"},
    {SQLITE_LOCKED, Kind::Busy, "55P03"},
    {SQLITE_PROTOCOL, Kind::Busy, "55P03"},
    {SQLITE_INTERRUPT, Kind::Busy, "57014"},
    {SQLITE_READONLY_RECOVERY, Kind::Unavailable, "58030"},
    {SQLITE_READONLY_CANTLOCK, Kind::Unavailable, "58030"},
    {SQLITE_READONLY_ROLLBACK, Kind::Unavailable, "58030"},
    {SQLITE_READONLY_DBMOVED, Kind::Unavailable, "58030"},
    {SQLITE_READONLY_CANTINIT, Kind::Unavailable, "58030"},
    {SQLITE_READONLY_DIRECTORY, Kind::Unavailable, "58030"},
    {SQLITE_READONLY, Kind::Unavailable, "25006"},
    {SQLITE_FULL, Kind::Unavailable, "53100"},
    {SQLITE_NOMEM, Kind::Unavailable, "53200"},
    {SQLITE_IOERR, Kind::Unavailable, "58030"},
    {SQLITE_CANTOPEN, Kind::Unavailable, "58030"},
    {SQLITE_CORRUPT, Kind::Unavailable, "XX001"},
    {SQLITE_NOTADB, Kind::Unavailable, "XX001"},
    {SQLITE_AUTH, Kind::Other, "42501"},
    {SQLITE_TOOBIG, Kind::Other, "54000"},
    {SQLITE_MISMATCH, Kind::Other, "42804"},
    {SQLITE_RANGE, Kind::Other, "42P02"},
});

Class classOf(int code, std::string_view message)
{
    for (const auto& candidate : classes)
        if (candidate.code == code || candidate.code == (code & 0xff)) return candidate;
    if (message.starts_with("no such table")) return {code, Kind::Other, "42P01"};
    if (message.starts_with("no such column")) return {code, Kind::Other, "42703"};
    if (message.ends_with("syntax error")) return {code, Kind::Other, "42601"};
    return {code, Kind::Other, "42000"};
}

/// "UNIQUE constraint failed: contact.email" or "…: index 'contact_email'".
std::string constraintIn(std::string_view message)
{
    constexpr std::string_view mark = "constraint failed: ";
    auto position = message.find(mark);
    if (position == std::string_view::npos) return {};
    message.remove_prefix(position + mark.size());
    if (message.starts_with("index '") && message.ends_with("'")) message = message.substr(7, message.size() - 8);
    return std::string(message);
}

constexpr std::size_t largestKeptBuffer = 64 * 1024;

bool isOnlySpaceAndComments(std::string_view rest)
{
    takeWord(rest);
    return rest.empty();
}

[[noreturn]] void refuse(std::string_view sqlState, const std::string& reason, std::string_view sql)
{
    throw sqlError(Kind::Other, sqlState, reason, sql);
}

bool startsDataChange(std::string_view sql)
{
    constexpr std::array<std::string_view, 5> changes = {"INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"};
    return std::ranges::any_of(changes, [word = takeWord(sql)](auto change) { return equalsIgnoreCase(word, change); });
}

} // namespace

DatabaseError sqliteError(sqlite3* database, int code, std::string_view sql)
{
    std::string_view message = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    if (code == SQLITE_INTERRUPT) message = "it took longer than database.statementSeconds allows"; // "interrupted", says SQLite
    const Class found = classOf(code, message);
    const bool constraint = (code & 0xff) == SQLITE_CONSTRAINT;
    return sqlError(found.kind, found.sqlState, std::string(message) + " (SQLite " + std::to_string(code) + ")", sql,
                    constraint ? constraintIn(message) : std::string());
}

SqliteStatement::SqliteStatement(SqliteTimer& timer, std::string_view sql, bool kept) : _timer(timer)
{
    const char* tail = nullptr;
    int code = sqlite3_prepare_v3(timer.database(), sql.data(), static_cast<int>(sql.size()), kept ? SQLITE_PREPARE_PERSISTENT : 0,
                                  &_statement, &tail);
    if (code != SQLITE_OK) throw sqliteError(timer.database(), code, sql);
    if (!_statement) refuse("42601", "the text holds no statement", sql);
    try
    {
        auto rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
        if (!isOnlySpaceAndComments(rest)) refuse("42601", "the text holds more than one statement: run them one by one", sql);
        mapParameters(sql);
    }
    catch (...)
    {
        sqlite3_finalize(_statement);
        throw;
    }
    _countsChanges = !isReadOnly() && startsDataChange(sql);
}

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : _timer(other._timer),
      _run(other._run),
      _statement(std::exchange(other._statement, nullptr)),
      _argumentOf(std::move(other._argumentOf)),
      _argumentCount(other._argumentCount),
      _kept(std::move(other._kept)),
      _countsChanges(other._countsChanges),
      _inUse(other._inUse)
{
}

void SqliteStatement::mapParameters(std::string_view sql)
{
    const int count = sqlite3_bind_parameter_count(_statement);
    for (int parameter = 1; parameter <= count; ++parameter)
    {
        const char* name = sqlite3_bind_parameter_name(_statement, parameter);
        std::size_t number = 0;
        const char* end = name ? name + std::strlen(name) : nullptr;
        if (!name || *name != '$' || name[1] == '0' || std::from_chars(name + 1, end, number).ptr != end)
            refuse("42P02", "placeholders are $1, $2, …; found " + std::string(name ? name : "?"), sql);
        _argumentOf.push_back(number - 1);
        _argumentCount = std::max(_argumentCount, number);
    }
}

void SqliteStatement::bind(std::span<const SqlValue> arguments, bool copy)
{
    if (arguments.size() != _argumentCount)
        refuse("08P01", "the statement takes " + std::to_string(_argumentCount) + " arguments and got " + std::to_string(arguments.size()),
               sql());
    if (copy)
    {
        _kept.clear();
        _kept.reserve(textSize(arguments));
    }
    for (std::size_t i = 0; i < _argumentOf.size(); ++i) bindOne(static_cast<int>(i) + 1, arguments[_argumentOf[i]], copy);
}

std::string_view SqliteStatement::kept(std::string_view text)
{
    const auto offset = _kept.size();
    _kept += text;
    return std::string_view(_kept).substr(offset);
}

void SqliteStatement::bindOne(int parameter, const SqlValue& argument, bool copy)
{
    struct Binder
    {
        SqliteStatement& statement;
        int parameter;
        bool copy;

        int operator()(std::monostate) const { return sqlite3_bind_null(statement._statement, parameter); }
        int operator()(bool value) const { return sqlite3_bind_int(statement._statement, parameter, value ? 1 : 0); }
        int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement._statement, parameter, value); }
        int operator()(double value) const { return sqlite3_bind_double(statement._statement, parameter, value); }
        int operator()(std::string_view value) const
        {
            requireNoNul(value, statement.sql());
            if (copy) value = statement.kept(value);
            // A null pointer would bind NULL.
            return sqlite3_bind_text64(statement._statement, parameter, value.data() ? value.data() : "", value.size(), SQLITE_STATIC,
                                       SQLITE_UTF8);
        }
        int operator()(std::span<const char> bytes) const
        {
            std::string_view value(bytes.data(), bytes.size());
            if (copy) value = statement.kept(value);
            return sqlite3_bind_blob64(statement._statement, parameter, value.data() ? value.data() : "", value.size(), SQLITE_STATIC);
        }
    };
    const int code = std::visit(Binder{*this, parameter, copy}, argument.value);
    if (code != SQLITE_OK) throw sqliteError(_timer.database(), code, sql());
}

bool SqliteStatement::step()
{
    const int code = _timer.step(_statement, _run);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    throw sqliteError(_timer.database(), sqlite3_extended_errcode(_timer.database()), sql());
}

void SqliteStatement::reset() noexcept
{
    sqlite3_reset(_statement);
    _run = {};
    if (_kept.capacity() > largestKeptBuffer)
    {
        sqlite3_clear_bindings(_statement);
        std::string().swap(_kept);
    }
}

} // namespace portico::host::data
