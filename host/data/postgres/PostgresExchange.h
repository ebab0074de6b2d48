#pragma once

#include "portico/Database.h"

#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::data
{

/// Arguments in libpq's form: numbers and texts as text of no declared type, so that the server infers it from the statement; bytes in
/// binary. One object per connection, so that its memory is reused.
class PostgresArguments
{
public:
    /// Valid until the next call, and while the texts and bytes of `arguments` live. @throws DatabaseError for a text with a zero byte.
    void set(std::span<const SqlValue> arguments, std::string_view sql);
    /// The same with copies of bytes: valid until the next call.
    void keep(std::span<const SqlValue> arguments, std::string_view sql);

    int count() const noexcept { return static_cast<int>(_values.size()); }
    const char* const* values() const noexcept { return _values.data(); }
    const int* lengths() const noexcept { return _lengths.data(); }
    const int* formats() const noexcept { return _formats.data(); }

private:
    void addText(std::string_view text);
    /// Copies bytes where `_keeps`.
    void addBytes(std::span<const char> bytes);
    void add(const char* value, std::size_t length, bool binary);

    std::vector<const char*> _values;
    std::vector<int> _lengths;
    std::vector<int> _formats;
    std::string _buffer;
    bool _keeps = false;
};

struct ClearResult
{
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using PostgresResult = std::unique_ptr<PGresult, ClearResult>;

/// A field of a failed result (`PG_DIAG_…`), or empty.
std::string errorField(const PGresult* result, int code);
/// libpq would write notices of the server to the daemon's standard error.
void ignoreNotices(PGconn& connection) noexcept;
/// Converts a failed result to an error. Its detail and hint stay out: they quote values of rows.
DatabaseError postgresError(const PGconn* connection, const PGresult* result, std::string_view sql);

/// Has the server end a session within half a minute after its host vanished. Until then the locks of its transaction stay.
constexpr std::string_view goneClientSettings =
    "SET tcp_keepalives_idle TO 10; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 4; SET tcp_user_timeout TO 30000;";

/// No limit, for statements of unknown duration.
constexpr auto patientForEver = std::chrono::milliseconds::max();

/// Returns the last result of the sent commands, like PQexec. A frozen server keeps its connections: without a limit the caller would wait
/// as long as it is frozen. When `patience` expires, the connection is closed and cannot be used again.
/// @param sql for the error's text
/// @throws DatabaseError Unavailable when nothing came in time, Other for a COPY
PostgresResult awaitAnswer(PGconn* connection, std::chrono::milliseconds patience, std::string_view sql);

/// Rows of PostgreSQL. All are in memory, so other statements may run at the same time; large results are read in pages.
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
