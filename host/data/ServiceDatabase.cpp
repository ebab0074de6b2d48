#include "host/data/ServiceDatabase.h"

namespace portico::host::data
{

/// Null unless what the current thread works for is recorded. Waiting for a session is part of the unit of work.
std::unique_ptr<telemetry::ClientSpan> ServiceDatabase::beginSpan(const char* purpose) const
{
    const auto* current = _currentSpan();
    if (current == nullptr || current->sink == nullptr) return nullptr;
    auto span = std::make_unique<telemetry::ClientSpan>(current);
    auto& record = span->record();
    record.name = std::string("database ") + purpose;
    record.service = _serviceId;
    record.attributes = {{"db.system.name", std::string(_dialect == Dialect::SQLite ? "sqlite" : "postgresql")},
                         {"db.namespace", _serviceId}};
    return span;
}

Session ServiceDatabase::lend(bool write, const char* purpose)
{
    const bool toWriter = write && _writer;
    auto span = beginSpan(purpose);
    auto& connection = (toWriter ? _writer : _sessions)->acquire();
    connection.trace(std::move(span));
    if (toWriter) _anchor->writeBegins();
    return Session(connection, toWriter ? &giveBackWriter : &giveBackReader, this);
}

void ServiceDatabase::giveBack(ConnectionPool& pool, portico::detail::Connection& connection)
{
    auto& native = static_cast<NativeConnection&>(connection);
    native.trace(nullptr);
    pool.release(native);
}

void ServiceDatabase::giveBackReader(void* self, portico::detail::Connection& connection, bool)
{
    auto& database = *static_cast<ServiceDatabase*>(self);
    giveBack(*database._sessions, connection);
    if (database._anchor) database._anchor->readEnded();
}

void ServiceDatabase::giveBackWriter(void* self, portico::detail::Connection& connection, bool)
{
    auto& database = *static_cast<ServiceDatabase*>(self);
    const bool unsynced = static_cast<NativeConnection&>(connection).takeUnsynced();
    giveBack(*database._writer, connection);
    database._anchor->writeEnded();
    if (unsynced) database._commits->wait();
}

void ServiceDatabase::ping() { session().value<std::int64_t>("SELECT 1"); }

void ServiceDatabase::giveMemoryBack(std::chrono::seconds unused)
{
    _sessions->giveMemoryBack(unused);
    if (_writer) _writer->giveMemoryBack(unused);
}

DatabaseStats ServiceDatabase::stats() const
{
    return {_sessions->stats(), _writer ? _writer->stats() : PoolStats{}, _commits ? _commits->syncs() : 0};
}

} // namespace portico::host::data
