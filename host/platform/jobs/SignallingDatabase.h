#pragma once

#include "host/data/RequestReads.h"

#include "portico/Database.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace portico::host::platform
{

/// A service's database that reports the end of transactions in which jobs or events were written, so that they run at once instead of at
/// the next poll, and the end of those that have changed rows. Thread-safe.
class SignallingDatabase final : public Database
{
public:
    /// `onWork` and `onWrite` are called on the thread that ended the transaction, after its connection was returned. They must be quick
    /// and must not throw. @param onWrite null: none. PostgreSQL only.
    SignallingDatabase(std::unique_ptr<Database> inner, std::function<void()> onWork, std::function<void()> onWrite = {})
        : _inner(std::move(inner)), _onWork(std::move(onWork)), _onWrite(std::move(onWrite))
    {
    }

    Dialect dialect() const noexcept override { return _inner->dialect(); }
    Session session() override
    {
        requireWorker();
        return _inner->session();
    }
    Transaction begin() override;
    Transaction snapshot() override
    {
        requireWorker();
        return _inner->snapshot();
    }

    /// Notes that this transaction wrote work. That it may still be rolled back does not matter: then the signal finds nothing.
    void expectWork(Session& session);
    /// Number of transactions that changed rows, if `onWrite` is set.
    std::uint64_t writes() const noexcept { return _writes.load(); }

private:
    using Release = void (*)(void*, detail::Connection&, bool);
    class WatchedTransaction;

    /// A request whose handler runs on an event loop must not wait for a server: it runs again on a worker. @throws DatabaseError Busy
    static void requireWorker();
    static void released(void* self, detail::Connection& connection, bool broken);
    bool takeExpected(detail::Connection& connection);

    const std::unique_ptr<Database> _inner;
    const std::function<void()> _onWork;
    const std::function<void()> _onWrite;
    std::atomic<std::uint64_t> _writes{0};
    /// The inner database's function that takes a connection back: the same for all of its transactions.
    std::atomic<Release> _innerRelease{nullptr};
    std::atomic<void*> _innerOwner{nullptr};
    std::atomic<std::size_t> _expectedCount{0};
    std::mutex _mutex;
    std::set<const detail::Connection*> _expected;
};

} // namespace portico::host::platform
