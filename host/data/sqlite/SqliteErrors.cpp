#include "host/data/sqlite/SqliteErrors.h"

#include "host/data/SqlText.h"

#include <sqlite3.h>

#include <array>
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

// Extended codes before their primary ones: the first match counts.
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

} // namespace

DatabaseError sqliteError(sqlite3* database, int code, std::string_view sql)
{
    std::string_view message = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
    const Class found = classOf(code, message);
    const bool constraint = (code & 0xff) == SQLITE_CONSTRAINT;
    return DatabaseError(found.kind, found.sqlState, constraint ? constraintIn(message) : std::string(),
                         "SQLSTATE " + std::string(found.sqlState) + ": " + std::string(message) + " (SQLite " + std::to_string(code) +
                             "); statement: " + excerpt(sql));
}

} // namespace portico::host::data
