#pragma once

#include "host/data/ConnectionPool.h"
#include "host/data/SessionSource.h"

#include "portico/Database.h"

#include <memory>
#include <string>

namespace portico::host::data
{

/// What the pools of one service's database do.
struct DatabaseStats
{
    PoolStats sessions;
    /// SQLite's one writer; all zero on PostgreSQL, where any session may write.
    PoolStats writer;
};

/// The database of one service. Thread-safe. Ends after all sessions of it.
class ServiceDatabase final : public Database
{
public:
    /// `writer`: null when the sessions of `sessions` write too.
    ServiceDatabase(Dialect dialect, std::string serviceId, std::unique_ptr<SessionSource> source, std::unique_ptr<ConnectionPool> sessions,
                    std::unique_ptr<ConnectionPool> writer);

    Dialect dialect() const noexcept override { return _dialect; }
    Session session() override { return lend(*_sessions); }
    Transaction begin() override { return Transaction(lend(writers()), true); }
    Transaction snapshot() override { return Transaction(lend(*_sessions), false); }

    const std::string& serviceId() const noexcept { return _serviceId; }
    /// Connects if need be and tells whether the database answers: for health checks. @throws DatabaseError
    void ping();
    DatabaseStats stats() const;

private:
    ConnectionPool& writers() noexcept { return _writer ? *_writer : *_sessions; }
    static Session lend(ConnectionPool& pool);

    Dialect _dialect;
    std::string _serviceId;
    std::unique_ptr<SessionSource> _source;
    std::unique_ptr<ConnectionPool> _sessions;
    std::unique_ptr<ConnectionPool> _writer;
};

/// The host's own view of a session's connection, for sessions that a ServiceDatabase lent.
inline NativeConnection& nativeConnection(Session& session) { return static_cast<NativeConnection&>(session.connection()); }

} // namespace portico::host::data
