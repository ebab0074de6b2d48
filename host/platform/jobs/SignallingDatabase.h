#pragma once

#include "portico/Database.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace portico::host::platform
{

/// A service's database that tells when a transaction has ended in which jobs or events were written: that is what lets them run at once
/// instead of at the next poll. Thread-safe.
class SignallingDatabase final : public Database
{
public:
    /// `onWork` is called on the thread that ended the transaction, after its connection was given back: quickly, and without a throw.
    SignallingDatabase(std::unique_ptr<Database> inner, std::function<void()> onWork) : _inner(std::move(inner)), _onWork(std::move(onWork))
    {
    }

    Dialect dialect() const noexcept override { return _inner->dialect(); }
    Session session() override { return _inner->session(); }
    Transaction begin() override;
    Transaction snapshot() override { return _inner->snapshot(); }

    /// Notes that this transaction wrote work. That it may still be rolled back does not matter: then the signal finds nothing.
    void expectWork(Session& session);

private:
    using Release = void (*)(void*, detail::Connection&, bool);
    class WatchedTransaction;

    static void released(void* self, detail::Connection& connection, bool broken);
    bool takeExpected(detail::Connection& connection);

    const std::unique_ptr<Database> _inner;
    const std::function<void()> _onWork;
    /// How the inner database takes a connection back: the same for all of its transactions.
    std::atomic<Release> _innerRelease{nullptr};
    std::atomic<void*> _innerOwner{nullptr};
    std::atomic<std::size_t> _expectedCount{0};
    std::mutex _mutex;
    std::set<const detail::Connection*> _expected;
};

} // namespace portico::host::platform
