#include "host/platform/jobs/SignallingDatabase.h"

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
    }
};

Transaction SignallingDatabase::begin() { return Transaction(WatchedTransaction(_inner->begin(), *this)); }

void SignallingDatabase::expectWork(Session& session)
{
    const std::lock_guard lock(_mutex);
    if (_expected.insert(&session.connection()).second) ++_expectedCount;
}

void SignallingDatabase::released(void* self, detail::Connection& connection, bool broken)
{
    auto& database = *static_cast<SignallingDatabase*>(self);
    const bool expected = database.takeExpected(connection);
    database._innerRelease.load()(database._innerOwner.load(), connection, broken);
    if (expected) database._onWork();
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
