#include "host/data/NativeConnection.h"

#include "host/data/SqlText.h"

#include "portico/Http.h"

#include <Poco/Data/PooledSessionImpl.h>
#include <Poco/Exception.h>
#include <Poco/ThreadPool.h>

namespace portico::host::data
{

namespace
{

/// Threads of POCO's pool (16 by default) that one SessionPool uses: its janitor, and SQLite's connector while it opens.
constexpr int threadsPerPool = 2;
/// `ConnectionPool` closes idle connections itself.
constexpr int janitorSeconds = 3600;
/// A connection that is closed leaves the count a moment after its successor may be opened.
constexpr int closing = 2;

/// Reaches the session under a pooled one, which POCO shows to derived classes only.
struct PooledAccess : Poco::Data::PooledSessionImpl
{
    static Poco::Data::SessionImpl* inner(const Poco::Data::PooledSessionImpl& pooled) { return (pooled.*&PooledAccess::impl)(); }
};

} // namespace

SessionSource::SessionSource(const std::string& connector, const std::string& connectionString, int maximum)
    : _pool(new Poco::Data::SessionPool(connector, connectionString, 1, maximum + closing, janitorSeconds))
{
    Poco::ThreadPool::defaultPool().addCapacity(threadsPerPool);
}

SessionSource::~SessionSource()
{
    _pool->shutdown();
    Poco::ThreadPool::defaultPool().addCapacity(-threadsPerPool);
}

Poco::Data::Session SessionSource::open()
{
    try
    {
        return _pool->get();
    }
    catch (const Poco::Exception& error)
    {
        throw DatabaseError(DatabaseError::Kind::Unavailable, "08001", {},
                            "SQLSTATE 08001: the database cannot be opened: " + error.displayText());
    }
}

bool isRollbackToSavepoint(std::string_view sql) noexcept
{
    auto rest = sql;
    if (!equalsIgnoreCase(takeWord(rest), "ROLLBACK")) return false;
    auto word = takeWord(rest);
    if (equalsIgnoreCase(word, "TRANSACTION") || equalsIgnoreCase(word, "WORK")) word = takeWord(rest);
    return equalsIgnoreCase(word, "TO");
}

void NativeConnection::requireSound(std::string_view sql) const
{
    if (!_spoiled || isRollbackToSavepoint(sql)) return;
    throw DatabaseError(_spoiled->kind(), "25P02", {},
                        std::string("the transaction was spoiled by an earlier failure and can only be rolled back: ") + _spoiled->what());
}

DatabaseError NativeConnection::failure(const DatabaseError& error)
{
    if (_open && !_spoiled) _spoiled.emplace(error);
    return error;
}

void NativeConnection::begin(bool write)
{
    if (_open)
        throw DatabaseError(DatabaseError::Kind::Other, "25001", {},
                            "a transaction is open already on this session: end it before another begins");
    beginNow(write);
    _open = true;
}

void NativeConnection::commit()
{
    try
    {
        requireSound("COMMIT");
        commitNow();
        _open = false;
    }
    catch (...)
    {
        rollback();
        throw;
    }
}

void NativeConnection::rollback() noexcept
{
    _open = false;
    _spoiled.reset();
    rollbackNow();
}

void NativeConnection::closeSession() noexcept
{
    if (!_session) return;
    try
    {
        // `_session->close()` would only give it back to the pool; a closed one is dropped there.
        if (auto* pooled = dynamic_cast<Poco::Data::PooledSessionImpl*>(_session->impl())) PooledAccess::inner(*pooled)->close();
    }
    catch (const Poco::Exception&) // a connection that cannot be closed is already closed
    {
    }
    _session.reset();
}

} // namespace portico::host::data
