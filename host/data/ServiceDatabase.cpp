#include "host/data/ServiceDatabase.h"

#include <utility>

namespace portico::host::data
{

namespace
{

void giveBack(void* pool, portico::detail::Connection& connection, bool)
{
    static_cast<ConnectionPool*>(pool)->release(static_cast<NativeConnection&>(connection));
}

} // namespace

ServiceDatabase::ServiceDatabase(Dialect dialect, std::string serviceId, std::unique_ptr<SessionSource> source,
                                 std::unique_ptr<ConnectionPool> sessions, std::unique_ptr<ConnectionPool> writer)
    : _dialect(dialect),
      _serviceId(std::move(serviceId)),
      _source(std::move(source)),
      _sessions(std::move(sessions)),
      _writer(std::move(writer))
{
}

Session ServiceDatabase::lend(ConnectionPool& pool) { return Session(pool.acquire(), &giveBack, &pool); }

void ServiceDatabase::ping() { session().value<std::int64_t>("SELECT 1"); }

DatabaseStats ServiceDatabase::stats() const { return {_sessions->stats(), _writer ? _writer->stats() : PoolStats{}}; }

} // namespace portico::host::data
