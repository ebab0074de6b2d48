#pragma once

#include "host/data/ServiceDatabase.h"
#include "host/data/WorkNotifier.h"
#include "host/telemetry/Tracer.h"

#include "portico/Database.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::data
{

/// For how long a connection to PostgreSQL keeps a session of the server.
enum class Sessions : std::uint8_t
{
    OfConnection, ///< While it is open: PostgreSQL itself, or a pooler in session mode.
    OfTransaction ///< For one transaction: a pooler in transaction mode.
};

/// Where the services' data lives and how much of it is used at once. One value serves all services: each gets its own SQLite file or
/// PostgreSQL schema, named by the service's id, and its own pool.
struct DatabaseSettings
{
    Dialect engine = Dialect::SQLite;

    /// SQLite: the directory of the files `<service id>.db`. It is made (mode 0700) if it is missing; files are readable by the owner only.
    std::filesystem::path directory;
    /// SQLite: sessions that read at the same time. Beside them there is exactly one that writes.
    int readers = 4;

    /// PostgreSQL: `postgresql://user:password@host:port/db?sslmode=…` or `host=/unix/dir user=… dbname=…`, in libpq's syntax.
    std::string url;
    /// PostgreSQL: a file whose first line is the password; it wins over one in the URL. Empty: none.
    std::filesystem::path passwordFile;
    /// PostgreSQL: what `url` leads to.
    Sessions sessions = Sessions::OfConnection;
    /// PostgreSQL: the server itself, in the same form, where `url` leads to a pooler in transaction mode. Empty: none.
    std::string directUrl;
    /// PostgreSQL: connections of one service, at most.
    int connections = 16;
    /// PostgreSQL: limit for opening a connection. libpq has whole seconds, at least two.
    std::chrono::seconds connectTimeout{3};
    /// How long one statement may run (migrations are exempt).
    std::chrono::milliseconds statementTimeout{30'000};
    /// PostgreSQL: a server that does not end a statement in time, nor answers within this further time, is treated as frozen.
    std::chrono::milliseconds answerGrace{5'000};

    /// How long a unit of work waits for a free session, then DatabaseError Busy.
    std::chrono::milliseconds sessionWait{2'000};
    /// How long a statement waits for a lock of another (SQLite: of another process), then DatabaseError Busy.
    std::chrono::milliseconds lockWait{2'000};
    /// A connection that was idle for longer is asked for a sign of life before it is used.
    std::chrono::seconds idleCheck{30};
    /// A connection that was idle for longer is closed when the next session is returned.
    std::chrono::seconds idleClose{300};
    /// Prepared statements kept per connection; the least recently used goes first.
    std::size_t statementsPerConnection = 128;

    /// Set by the host: a separately loaded engine has its own thread-local variables.
    CurrentSpan currentSpan = &telemetry::RequestContext::span;
};

/// Opens the databases of one database system. Lives longer than every database that it opened.
class DatabaseEngine
{
public:
    virtual ~DatabaseEngine() = default;
    /// Like `DatabaseFactory::open`, with a checked id. Thread-safe.
    virtual std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const = 0;
    /// Connects, and refuses what no service could work with. Thread-safe. @throws DatabaseError that names what is in the way
    virtual void check(const DatabaseSettings&) const {}
    /// Connects to nothing yet. Null where no other host shares the database, or none can be notified.
    virtual std::unique_ptr<WorkNotifier> notifier(const DatabaseSettings&, WorkNotifier::OnWork) const { return nullptr; }
};

/// The two symbols of an engine in its own library: one makes the engine with `new`, the other returns the version that it was built with.
using MakeDatabaseEngine = DatabaseEngine*();
using DatabaseEngineVersion = const char*();
inline constexpr const char* makeDatabaseEngineSymbol = "portico_make_database_engine";
inline constexpr const char* databaseEngineVersionSymbol = "portico_database_engine_version";

/// Bounds of a pool of up to `maximum` connections.
inline PoolLimits poolLimits(const DatabaseSettings& settings, int maximum)
{
    return {.maximum = maximum, .wait = settings.sessionWait, .idleCheck = settings.idleCheck, .idleClose = settings.idleClose};
}

} // namespace portico::host::data
