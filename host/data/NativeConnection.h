#pragma once

#include "host/telemetry/Tracer.h"

#include "portico/Database.h"

#include <Poco/AutoPtr.h>
#include <Poco/Data/Session.h>
#include <Poco/Data/SessionPool.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace portico::host::data
{

/// Opens the sessions of one service by a `Poco::Data::SessionPool`, which also bounds their number. Borrowed sessions stay borrowed
/// between units of work, since the pool's own get and give-back cost more than a point read: `ConnectionPool` lends them on. Thread-safe;
/// the sessions end before it.
class SessionSource
{
public:
    SessionSource(const std::string& connector, const std::string& connectionString, int maximum);
    ~SessionSource();
    SessionSource(const SessionSource&) = delete;
    SessionSource& operator=(const SessionSource&) = delete;

    /// Opens one. @throws DatabaseError Unavailable
    Poco::Data::Session open();

private:
    Poco::AutoPtr<Poco::Data::SessionPool> _pool;
};

/// True for `ROLLBACK TO …` in any case.
bool isRollbackToSavepoint(std::string_view sql) noexcept;

/// Error of a script, with the line of the statement (from 1; 0: unknown).
class ScriptError : public DatabaseError
{
public:
    ScriptError(const DatabaseError& cause, int line) : DatabaseError(cause), _line(line) {}
    int line() const noexcept { return _line; }

private:
    int _line;
};

/// A connection as the pool and the migrator see it: the native handle under a session of a `Poco::Data::SessionPool`, with its statements.
/// On both engines a failed statement spoils its transaction, as PostgreSQL has it: code that was tried on SQLite behaves the same in
/// production. `ROLLBACK TO` a savepoint repairs it. Used by one thread at a time.
class NativeConnection : public portico::detail::Connection
{
public:
    NativeConnection(Poco::Data::Session session, std::atomic<std::uint64_t>& statementsPrepared)
        : _session(std::move(session)), _statementsPrepared(statementsPrepared)
    {
    }
    ~NativeConnection() override { closeSession(); }

    /// @throws DatabaseError 25001 when a transaction is open already.
    void begin(bool write) final;
    /// @throws DatabaseError 25P02, of the kind of the first failure, when the transaction was spoiled.
    void commit() final;
    void rollback() noexcept final;
    /// Notes what a failure does to the transaction and the connection; the error as the caller shall see it.
    virtual DatabaseError failure(const DatabaseError& error);

    /// False if the connection is known to be broken. `thorough` asks the server, which is a round trip.
    virtual bool isUsable(bool thorough) noexcept = 0;
    /// Ends whatever the last unit of work left open; false if the connection cannot be used again.
    virtual bool restore() noexcept = 0;
    /// Returns true once if the last unit of work committed something that is not on disk yet; `GroupCommit` then writes it.
    virtual bool takeUnsynced() noexcept { return false; }
    /// True if statements of transactions have changed rows since the last call. Noted on PostgreSQL only.
    bool takeWrote() noexcept { return std::exchange(_wrote, false); }
    /// Releases caches. Called while the connection is not lent.
    virtual void giveMemoryBack() noexcept {}
    /// Runs a text of many statements inside the open transaction. Statements that begin or end transactions are refused.
    /// @throws ScriptError
    virtual void runScript(std::string_view script) = 0;
    /// Makes every other migrator of this database wait until the transaction ends. @throws DatabaseError
    virtual void lockForMigration() = 0;

    /// Sets the span of the unit of work that has borrowed this connection; null ends it.
    void trace(std::unique_ptr<telemetry::ClientSpan> span) noexcept { _span = std::move(span); }

    /// How many wait for a connection of the pool that lends this one; outlives it.
    void countWaiters(const std::atomic<int>& waiting) noexcept { _waiting = &waiting; }
    bool isAwaited() const noexcept override { return _waiting && _waiting->load(std::memory_order_relaxed) > 0; }

    void* pocoSession() noexcept override { return &*_session; }

protected:
    virtual void beginNow(bool write) = 0;
    virtual void commitNow() = 0;
    /// Also where nothing is open.
    virtual void rollbackNow() noexcept = 0;
    /// Runs a statement and returns its result. @throws DatabaseError 25P02 if an earlier statement failed and this one does not repair the
    /// transaction
    template <class F>
    auto guarded(std::string_view sql, F&& run)
    {
        requireSound(sql);
        try
        {
            auto result = run();
            if (_spoiled && isRollbackToSavepoint(sql)) _spoiled.reset();
            return result;
        }
        catch (const DatabaseError& error)
        {
            throw failure(error);
        }
    }
    bool inTransaction() const noexcept { return _open; }
    void noteWrite() noexcept { _wrote = true; }
    /// Really closes the session, so that the SessionPool forgets it: for destructors.
    void closeSession() noexcept;
    void countPreparedStatement() noexcept { _statementsPrepared.fetch_add(1, std::memory_order_relaxed); }

    std::optional<Poco::Data::Session> _session;

private:
    void requireSound(std::string_view sql) const;

    std::atomic<std::uint64_t>& _statementsPrepared;
    const std::atomic<int>* _waiting = nullptr;
    std::unique_ptr<telemetry::ClientSpan> _span;
    bool _open = false;
    bool _wrote = false;
    /// Why the open transaction can only be rolled back.
    std::optional<DatabaseError> _spoiled;
};

} // namespace portico::host::data
