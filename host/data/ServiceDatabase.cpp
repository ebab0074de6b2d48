#include "host/data/ServiceDatabase.h"

#include <utility>

namespace portico::host::data
{

ServiceDatabase::ServiceDatabase(Dialect dialect, std::string serviceId, std::unique_ptr<SessionSource> source,
                                 std::unique_ptr<ConnectionPool> sessions, std::unique_ptr<ConnectionPool> writer,
                                 std::unique_ptr<ReadAnchor> anchor)
    : _dialect(dialect),
      _serviceId(std::move(serviceId)),
      _source(std::move(source)),
      _sessions(std::move(sessions)),
      _writer(std::move(writer)),
      _anchor(std::move(anchor))
{
}

Session ServiceDatabase::lendReader() { return Session(_sessions->acquire(), &giveBackReader, this); }

Session ServiceDatabase::lendWriter()
{
    if (!_writer) return lendReader();
    auto& connection = _writer->acquire();
    _anchor->writeBegins();
    return Session(connection, &giveBackWriter, this);
}

void ServiceDatabase::giveBackReader(void* self, portico::detail::Connection& connection, bool)
{
    auto& database = *static_cast<ServiceDatabase*>(self);
    database._sessions->release(static_cast<NativeConnection&>(connection));
    if (database._anchor) database._anchor->readEnded();
}

void ServiceDatabase::giveBackWriter(void* self, portico::detail::Connection& connection, bool)
{
    auto& database = *static_cast<ServiceDatabase*>(self);
    database._writer->release(static_cast<NativeConnection&>(connection));
    database._anchor->writeEnded();
}

void ServiceDatabase::ping() { session().value<std::int64_t>("SELECT 1"); }

DatabaseStats ServiceDatabase::stats() const { return {_sessions->stats(), _writer ? _writer->stats() : PoolStats{}}; }

} // namespace portico::host::data
