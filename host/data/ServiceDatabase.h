#pragma once

#include "host/data/ConnectionPool.h"
#include "host/data/GroupCommit.h"
#include "host/data/NativeConnection.h"
#include "host/data/ReadAnchor.h"

#include "portico/Database.h"

#include <memory>
#include <string>
#include <utility>

namespace portico::host::data
{

/// Returns the span of the current thread's work, null without a trace.
using CurrentSpan = const telemetry::ActiveSpan* (*)() noexcept;

/// Metrics of the pools of one service's database.
struct DatabaseStats
{
    PoolStats sessions;
    /// SQLite's one writer; all zero on PostgreSQL, where any session may write.
    PoolStats writer;
    /// How often its commits were put on disk: many at once where many wait.
    std::uint64_t syncs = 0;
};

/// The database of one service. Thread-safe. Ends after all sessions of it.
class ServiceDatabase final : public Database
{
public:
    /// `writer`, `anchor` and `commits` are SQLite's: null when the sessions of `sessions` write too.
    ServiceDatabase(Dialect dialect, std::string serviceId, std::unique_ptr<SessionSource> source, std::unique_ptr<ConnectionPool> sessions,
                    std::unique_ptr<ConnectionPool> writer, std::unique_ptr<ReadAnchor> anchor, std::unique_ptr<GroupCommit> commits,
                    CurrentSpan currentSpan)
        : _dialect(dialect),
          _serviceId(std::move(serviceId)),
          _source(std::move(source)),
          _sessions(std::move(sessions)),
          _writer(std::move(writer)),
          _anchor(std::move(anchor)),
          _commits(std::move(commits)),
          _currentSpan(currentSpan)
    {
    }

    Dialect dialect() const noexcept override { return _dialect; }
    Session session() override { return lend(false, "read"); }
    Transaction begin() override { return Transaction(lend(true, "write"), true); }
    Transaction snapshot() override { return Transaction(lend(false, "snapshot"), false); }

    const std::string& serviceId() const noexcept { return _serviceId; }
    /// A session can be lent and read at once: the data is a file, and a session of it is idle. A hint, without a lock.
    bool canReadWithoutBlocking() const noexcept { return _dialect == Dialect::SQLite && _sessions->hasIdle(); }
    /// Connects if necessary and checks that the database answers: for health checks. @throws DatabaseError
    void ping();
    DatabaseStats stats() const;
    /// Has sessions that were unused for `unused` release their caches.
    void giveMemoryBack(std::chrono::seconds unused);
    /// Readers are spared their locks at the moment (`ReadAnchor`).
    bool anchored() const noexcept { return _anchor && _anchor->isHeld(); }

private:
    std::unique_ptr<telemetry::ClientSpan> beginSpan(const char* purpose) const;
    Session lend(bool write, const char* purpose);
    static void giveBack(ConnectionPool& pool, portico::detail::Connection& connection);
    static void giveBackReader(void* self, portico::detail::Connection& connection, bool broken);
    static void giveBackWriter(void* self, portico::detail::Connection& connection, bool broken);

    Dialect _dialect;
    std::string _serviceId;
    std::unique_ptr<SessionSource> _source;
    std::unique_ptr<ConnectionPool> _sessions;
    std::unique_ptr<ConnectionPool> _writer;
    std::unique_ptr<ReadAnchor> _anchor;
    std::unique_ptr<GroupCommit> _commits;
    const CurrentSpan _currentSpan;
};

/// The host's own view of a session's connection, for sessions that a ServiceDatabase lent.
inline NativeConnection& nativeConnection(Session& session) { return static_cast<NativeConnection&>(session.connection()); }

} // namespace portico::host::data
