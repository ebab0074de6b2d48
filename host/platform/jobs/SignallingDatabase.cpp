#include "host/platform/jobs/SignallingDatabase.h"

#include "host/data/NativeConnection.h"

namespace portico::host::platform
{

/// Puts our release in the place of the inner database's.
class SignallingDatabase::WatchedTransaction : public Transaction
{
public:
    WatchedTransaction(Transaction&& inner, SignallingDatabase& watcher) : Transaction(std::move(inner))
    {
        watcher._innerRelease.store(_release);
        watcher._innerOwner.store(_owner);
        _release = &SignallingDatabase::released;
        _owner = &watcher;
        // The host may have written with the same connection, which is no write of the service.
        if (watcher._onWrite) static_cast<data::NativeConnection&>(connection()).takeWrote();
    }
};

void SignallingDatabase::requireWorker()
{
    auto* const request = data::RequestReads::current();
    if (request == nullptr || request->mayWait()) return;
    request->refuse();
    throw DatabaseError(DatabaseError::Kind::Busy, "", {}, "an event loop does not wait for a database server");
}

Transaction SignallingDatabase::begin()
{
    requireWorker();
    // The request may change what was read for it.
    if (auto* const request = data::RequestReads::current()) request->forget();
    return Transaction(WatchedTransaction(_inner->begin(), *this));
}

void SignallingDatabase::expectWork(Session& session)
{
    const std::lock_guard lock(_mutex);
    if (_expected.insert(&session.connection()).second) ++_expectedCount;
}

void SignallingDatabase::released(void* self, detail::Connection& connection, bool broken)
{
    auto& database = *static_cast<SignallingDatabase*>(self);
    const bool expected = database.takeExpected(connection);
    const bool wrote = database._onWrite && static_cast<data::NativeConnection&>(connection).takeWrote();
    database._innerRelease.load()(database._innerOwner.load(), connection, broken);
    if (expected) database._onWork();
    if (!wrote) return;
    database._writes.fetch_add(1);
    database._onWrite();
}

bool SignallingDatabase::takeExpected(detail::Connection& connection)
{
    if (_expectedCount.load() == 0) return false;
    const std::lock_guard lock(_mutex);
    if (_expected.erase(&connection) == 0) return false;
    --_expectedCount;
    return true;
}

} // namespace portico::host::platform
