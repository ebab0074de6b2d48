#include "host/data/postgres/PostgresErrors.h"

#include "host/data/SqlText.h"

#include <algorithm>
#include <string>

namespace portico::host::data
{

namespace
{

using Kind = DatabaseError::Kind;

std::string trimmed(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    std::string line(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

std::string field(const PGresult* result, int code)
{
    const char* text = PQresultErrorField(result, code);
    return text ? text : "";
}

DatabaseError make(Kind kind, std::string_view sqlState, std::string constraint, std::string_view message, std::string_view sql)
{
    return DatabaseError(kind, std::string(sqlState), std::move(constraint),
                         "SQLSTATE " + std::string(sqlState) + ": " + trimmed(message) + "; statement: " + excerpt(sql));
}

} // namespace

Kind kindOfSqlState(std::string_view sqlState) noexcept
{
    if (sqlState == "23505") return Kind::UniqueViolation;
    if (sqlState == "23503") return Kind::ForeignKeyViolation;
    if (sqlState == "23514" || sqlState == "23502") return Kind::CheckViolation;
    if (sqlState == "40001" || sqlState == "40P01") return Kind::Serialization;
    if (sqlState == "55P03" || sqlState == "57014") return Kind::Busy;
    if (sqlState == "08P01") return Kind::Other; // wrong number of arguments
    // Connection lost, no resources, shutting down, I/O, damaged data.
    for (std::string_view prefix : {"08", "53", "57P", "58", "XX001", "XX002"})
        if (sqlState.starts_with(prefix)) return Kind::Unavailable;
    return Kind::Other;
}

DatabaseError postgresError(const PGconn* connection, const PGresult* result, std::string_view sql)
{
    const auto sqlState = field(result, PG_DIAG_SQLSTATE);
    // libpq's own errors have no SQLSTATE: the connection is lost.
    if (sqlState.empty()) return make(Kind::Unavailable, "08006", {}, PQerrorMessage(connection), sql);
    if (PQstatus(connection) == CONNECTION_BAD) return make(Kind::Unavailable, sqlState, {}, PQerrorMessage(connection), sql);
    return make(kindOfSqlState(sqlState), sqlState, field(result, PG_DIAG_CONSTRAINT_NAME), field(result, PG_DIAG_MESSAGE_PRIMARY), sql);
}

DatabaseError postgresError(std::string_view sqlState, std::string_view message, std::string_view sql)
{
    return make(kindOfSqlState(sqlState), sqlState, {}, message, sql);
}

} // namespace portico::host::data
