#include "host/data/postgres/PostgresExchange.h"

#include "host/base/Text.h"
#include "host/data/SqlText.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>

#include <poll.h>
#include <sys/socket.h>

namespace portico::host::data
{

namespace
{

/// Enough for any number and its zero byte.
constexpr std::size_t longestNumber = 32;
constexpr std::size_t largestKeptBuffer = 64 * 1024;

template <class N>
std::string_view printed(N number, char (&buffer)[longestNumber])
{
    auto end = std::to_chars(buffer, buffer + longestNumber, number).ptr;
    return {buffer, static_cast<std::size_t>(end - buffer)};
}

using Kind = DatabaseError::Kind;

Kind kindOf(std::string_view sqlState) noexcept
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

/// Libpq's messages are lines.
std::string oneLine(std::string_view text)
{
    std::string line(text.substr(0, text.find_last_not_of("\n ") + 1));
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
constexpr auto never = Deadline::max();

int millisecondsUntil(Deadline deadline)
{
    if (deadline == never) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

/// False when the deadline is over before a whole result is there. A connection that breaks has its result: the error.
bool waitForResult(PGconn* connection, Deadline deadline)
{
    while (PQisBusy(connection) != 0)
    {
        pollfd socket{PQsocket(connection), POLLIN, 0};
        const int ready = ::poll(&socket, 1, millisecondsUntil(deadline));
        if (ready == 0) return false;
        if (ready < 0 && errno == EINTR) continue;
        if (PQconsumeInput(connection) == 0) return true;
    }
    return true;
}

/// Breaks the connection, so that libpq stops waiting.
void cut(PGconn* connection)
{
    ::shutdown(PQsocket(connection), SHUT_RDWR);
    // Up to the end of what had come.
    while (PQconsumeInput(connection) != 0) {}
    while (PostgresResult dropped{PQgetResult(connection)}) {}
}

bool isCopy(const PGresult* result) noexcept
{
    const auto status = PQresultStatus(result);
    return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

constexpr Oid byteaType = 17;

int hexDigit(char c) noexcept { return c <= '9' ? c - '0' : c - 'a' + 10; }

template <class N>
N parse(const PostgresCursor& cursor, int column)
{
    const auto number = parseNumber<N>(cursor.text(column));
    if (!number) portico::detail::throwBadColumn(cursor, column);
    return *number;
}

} // namespace

void PostgresArguments::set(std::span<const SqlValue> arguments, std::string_view sql)
{
    if (_buffer.capacity() > largestKeptBuffer) std::string().swap(_buffer);
    _values.clear();
    _lengths.clear();
    _formats.clear();
    _buffer.clear();
    // Reserved in full, so that no pointer into it moves.
    _buffer.reserve(textSize(arguments) + arguments.size() * longestNumber);

    struct Adder
    {
        PostgresArguments& to;
        std::string_view sql;
        void operator()(std::monostate) const { to.add(nullptr, 0, false); }
        void operator()(bool value) const { to.add(value ? "t" : "f", 1, false); }
        void operator()(std::int64_t value) const
        {
            char buffer[longestNumber];
            to.addText(printed(value, buffer));
        }
        void operator()(double value) const
        {
            char buffer[longestNumber];
            to.addText(printed(value, buffer));
        }
        void operator()(std::string_view value) const
        {
            requireNoNul(value, sql);
            to.addText(value);
        }
        void operator()(std::span<const char> bytes) const { to.addBytes(bytes); }
    };
    for (const auto& argument : arguments) std::visit(Adder{*this, sql}, argument.value);
}

void PostgresArguments::keep(std::span<const SqlValue> arguments, std::string_view sql)
{
    _keeps = true;
    set(arguments, sql);
}

void PostgresArguments::addBytes(std::span<const char> bytes)
{
    if (bytes.empty()) return add("", 0, true);
    if (!_keeps) return add(bytes.data(), bytes.size(), true);
    const auto offset = _buffer.size();
    _buffer.append(bytes.data(), bytes.size());
    add(_buffer.data() + offset, bytes.size(), true);
}

void PostgresArguments::addText(std::string_view text)
{
    const auto offset = _buffer.size();
    _buffer += text;
    _buffer += '\0';
    add(_buffer.data() + offset, text.size(), false);
}

void PostgresArguments::add(const char* value, std::size_t length, bool binary)
{
    _values.push_back(value);
    _lengths.push_back(static_cast<int>(length));
    _formats.push_back(binary ? 1 : 0);
}

void ignoreNotices(PGconn& connection) noexcept
{
    PQsetNoticeReceiver(
        &connection, [](void*, const PGresult*) {}, nullptr);
}

std::string errorField(const PGresult* result, int code)
{
    const char* text = PQresultErrorField(result, code);
    return text ? text : "";
}

DatabaseError postgresError(const PGconn* connection, const PGresult* result, std::string_view sql)
{
    const auto sqlState = errorField(result, PG_DIAG_SQLSTATE);
    // libpq's own errors have no SQLSTATE: the connection is lost.
    if (sqlState.empty() || PQstatus(connection) == CONNECTION_BAD)
        return sqlError(Kind::Unavailable, sqlState.empty() ? "08006" : sqlState, oneLine(PQerrorMessage(connection)), sql);
    // It is the connection's last answer. A pooler that lost its server says so, as a fault of the protocol.
    const auto kind = errorField(result, PG_DIAG_SEVERITY) == "FATAL" ? Kind::Unavailable : kindOf(sqlState);
    return sqlError(kind, sqlState, oneLine(errorField(result, PG_DIAG_MESSAGE_PRIMARY)), sql, errorField(result, PG_DIAG_CONSTRAINT_NAME));
}

PostgresResult awaitAnswer(PGconn* connection, std::chrono::milliseconds patience, std::string_view sql)
{
    const auto deadline = patience == patientForEver ? never : Clock::now() + patience;
    PostgresResult last;
    while (waitForResult(connection, deadline))
    {
        PostgresResult result(PQgetResult(connection));
        if (!result) return last;
        last = std::move(result);
        if (!isCopy(last.get())) continue;
        // COPY would wait for rows that this client neither sends nor reads.
        cut(connection);
        throw sqlError(Kind::Other, "0A000", "COPY between server and client is not offered", sql);
    }
    cut(connection);
    throw sqlError(Kind::Unavailable, "08006",
                   "the server has not answered within " + std::to_string(patience.count()) + " ms, its connection is given up", sql);
}

std::string_view PostgresCursor::text(int column) const
{
    return {PQgetvalue(_result.get(), _row, column), static_cast<std::size_t>(PQgetlength(_result.get(), _row, column))};
}

std::int64_t PostgresCursor::integer(int column) const
{
    const auto value = text(column);
    if (value == "t" || value == "f") return value == "t";
    return parse<std::int64_t>(*this, column);
}

double PostgresCursor::number(int column) const { return parse<double>(*this, column); }

bool PostgresCursor::boolean(int column) const { return integer(column) != 0; }

std::string PostgresCursor::bytes(int column) const
{
    auto value = text(column);
    if (PQftype(_result.get(), column) != byteaType || !value.starts_with("\\x")) return std::string(value);
    value.remove_prefix(2);
    std::string decoded;
    decoded.reserve(value.size() / 2);
    for (std::size_t i = 0; i + 1 < value.size(); i += 2) decoded += static_cast<char>(hexDigit(value[i]) * 16 + hexDigit(value[i + 1]));
    return decoded;
}

} // namespace portico::host::data
