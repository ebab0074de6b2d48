#include "host/data/NativeConnection.h"

#include "host/data/SqlText.h"

#include <Poco/Data/PooledSessionImpl.h>
#include <Poco/Exception.h>

namespace portico::host::data
{

bool isRollbackToSavepoint(std::string_view sql) noexcept
{
    auto rest = sql;
    if (!equalsIgnoringCase(takeWord(rest), "ROLLBACK")) return false;
    auto word = takeWord(rest);
    if (equalsIgnoringCase(word, "TRANSACTION") || equalsIgnoringCase(word, "WORK")) word = takeWord(rest);
    return equalsIgnoringCase(word, "TO");
}

void TransactionState::requireNone() const
{
    if (_open)
        throw DatabaseError(DatabaseError::Kind::Other, "25001", {},
                            "a transaction is open already on this session: end it before another begins");
}

void TransactionState::requireSound(std::string_view sql) const
{
    if (!_spoiled || isRollbackToSavepoint(sql)) return;
    throw DatabaseError(_spoiled->kind(), "25P02", {},
                        std::string("the transaction was spoiled by an earlier failure and can only be rolled back: ") + _spoiled->what());
}

void TransactionState::succeeded(std::string_view sql) noexcept
{
    if (_spoiled && isRollbackToSavepoint(sql)) _spoiled.reset();
}

void TransactionState::failed(const DatabaseError& error)
{
    if (_open && !_spoiled) _spoiled.emplace(error);
}

namespace
{

/// Reaches the session under a pooled one, which POCO shows to derived classes only.
struct PooledAccess : Poco::Data::PooledSessionImpl
{
    static Poco::Data::SessionImpl* inner(const Poco::Data::PooledSessionImpl& pooled) { return (pooled.*&PooledAccess::impl)(); }
};

} // namespace

NativeConnection::NativeConnection(Poco::Data::Session session, std::atomic<std::uint64_t>& statementsPrepared)
    : _session(std::move(session)), _statementsPrepared(statementsPrepared)
{
}

void NativeConnection::closeSession() noexcept
{
    if (!_session) return;
    try
    {
        // `_session->close()` would only give it back to the pool; a closed one is dropped there.
        if (auto* pooled = dynamic_cast<Poco::Data::PooledSessionImpl*>(_session->impl())) PooledAccess::inner(*pooled)->close();
    }
    catch (const Poco::Exception&) // NOLINT(bugprone-empty-catch): what cannot be closed is gone already
    {
    }
    _session.reset();
}

} // namespace portico::host::data
