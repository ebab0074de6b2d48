#include "host/data/NativeConnection.h"

#include <Poco/Data/PooledSessionImpl.h>
#include <Poco/Exception.h>

namespace portico::host::data
{

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
