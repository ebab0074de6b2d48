#pragma once

#include "host/data/postgres/PostgresCursor.h"

#include <chrono>
#include <string_view>

namespace portico::host::data
{

/// For what takes what it takes.
constexpr auto patientForEver = std::chrono::milliseconds::max();

/// The last result of what has been sent, as PQexec gives it. A server that is frozen keeps its connections: without an end to the patience
/// whoever asked it waits for as long as it is. When the patience is over the connection is cut, and cannot be used again.
/// @param sql for the error's text
/// @throws DatabaseError Unavailable when nothing came in time, Other for a COPY
PostgresResult awaitAnswer(PGconn* connection, std::chrono::milliseconds patience, std::string_view sql);

} // namespace portico::host::data
