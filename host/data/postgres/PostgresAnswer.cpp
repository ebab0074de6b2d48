#include "host/data/postgres/PostgresAnswer.h"

#include "host/data/SqlText.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/socket.h>

namespace portico::host::data
{

namespace
{

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

/// libpq finds the connection broken, and lets go of what it waits for.
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

} // namespace

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
        // Would go on for as long as somebody sends or takes rows, which nobody does here.
        cut(connection);
        throw DatabaseError(DatabaseError::Kind::Other, "0A000", {},
                            "SQLSTATE 0A000: COPY between server and client is not offered; statement: " + excerpt(sql));
    }
    cut(connection);
    throw DatabaseError(DatabaseError::Kind::Unavailable, "08006", {},
                        "SQLSTATE 08006: the server has not answered within " + std::to_string(patience.count()) +
                            " ms, its connection is given up; statement: " + excerpt(sql));
}

} // namespace portico::host::data
