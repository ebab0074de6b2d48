#pragma once

#include "portico/Database.h"

#include <chrono>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::data
{

struct ClearResult
{
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

/// A field of a failed result (`PG_DIAG_…`), or empty.
std::string errorField(const PGresult* result, int code);
/// What a failed result says. Its detail and hint stay out: they quote the values of rows.
DatabaseError postgresError(const PGconn* connection, const PGresult* result, std::string_view sql);

/// For what takes what it takes.
constexpr auto patientForEver = std::chrono::milliseconds::max();

/// The last result of what has been sent, as PQexec gives it. A server that is frozen keeps its connections: without an end to the patience
/// whoever asked it waits for as long as it is. When the patience is over the connection is cut, and cannot be used again.
/// @param sql for the error's text
/// @throws DatabaseError Unavailable when nothing came in time, Other for a COPY
PostgresResult awaitAnswer(PGconn* connection, std::chrono::milliseconds patience, std::string_view sql);

/// Rows of PostgreSQL. They are all in memory, so other statements may run meanwhile; what is large is read in pages.
class PostgresCursor final : public portico::detail::Cursor
{
public:
    explicit PostgresCursor(PostgresResult result) : _result(std::move(result)), _rows(PQntuples(_result.get())) {}

    bool next() override { return _row < _rows && ++_row < _rows; }
    int columnCount() const noexcept override { return PQnfields(_result.get()); }
    std::string_view columnName(int column) const noexcept override { return PQfname(_result.get(), column); }
    bool isNull(int column) const noexcept override { return PQgetisnull(_result.get(), _row, column) != 0; }
    std::int64_t integer(int column) const override;
    double number(int column) const override;
    bool boolean(int column) const override;
    std::string_view text(int column) const override;
    std::string bytes(int column) const override;

private:
    PostgresResult _result;
    int _rows;
    int _row = -1;
};

} // namespace portico::host::data
