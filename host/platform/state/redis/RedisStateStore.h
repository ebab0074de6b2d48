#pragma once

#include "host/platform/state/StateEngine.h"
#include "host/platform/state/redis/RedisLocks.h"
#include "host/platform/state/redis/RedisPool.h"

#include "portico/StateStore.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// The short-lived values of one service in Redis, shared by all hosts with the same prefix. Each value is a hash of its text and its
/// version; every operation is one command or one script, so it is atomic among hosts. Each use also has a sorted set of its keys by
/// expiration; a use with too many values loses those that expire first. Versions are random, so that none repeats even after Redis has
/// lost its data. Expiry follows Redis's clock.
/// If Redis does not answer, operations throw Problem 503 `overloaded` with Retry-After. Values are never kept in this host instead, where
/// other hosts would not see them. Thread-safe.
class RedisStateStore final : public StateStore
{
public:
    /// `pool` and `locks` outlive it.
    RedisStateStore(RedisPool& pool, RedisLocks& locks, std::string_view serviceId)
        : _pool(pool), _locks(locks), _prefix(pool.settings().prefix + ":" + std::string(serviceId) + ":")
    {
    }

    std::optional<Entry> get(std::string_view key) override;
    void put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive) override;
    bool compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                       std::chrono::milliseconds timeToLive) override;
    bool remove(std::string_view key) override;
    std::optional<std::string> take(std::string_view key) override;
    /// @throws std::invalid_argument if the key's value is not a number.
    std::int64_t add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive) override;
    /// Same guarantees as RedisLocks; not reentrant.
    void withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work) override;
    /// All hosts must set the same limit. Beside the set of a limited use is a hash of its keys' sizes, with their sum.
    void limit(std::string_view use, std::uint64_t bytes) override;

private:
    /// Sends a command and returns the result of `read` for the answer.
    template <class Read>
    auto ask(const std::vector<std::string_view>& command, Read read);
    template <class Read>
    auto write(std::string_view script, std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive, Read read,
               const std::string& more = {});
    std::string valueKey(std::string_view key) const { return _prefix + "v:" + std::string(key); }
    std::string useKey(std::string_view key) const { return _prefix + "u:" + std::string(useOfKey(key)); }
    std::string sizesKey(std::string_view key) const { return _prefix + "b:" + std::string(useOfKey(key)); }
    /// The limit for the use of a key; 0: none.
    std::uint64_t limitOf(std::string_view key) const;

    RedisPool& _pool;
    RedisLocks& _locks;
    /// `portico:crm:`
    const std::string _prefix;
    mutable std::mutex _limitsMutex;
    std::map<std::string, std::uint64_t, std::less<>> _limits;
};

/// The stores of all services on one Redis, over the same connections.
class RedisEngine final : public StateEngine
{
public:
    /// Connects to nothing yet. `log` outlives it.
    RedisEngine(const RedisSettings& settings, Logger& log) : _pool(settings, log), _locks(_pool, log) {}

    std::unique_ptr<StateStore> open(std::string_view serviceId) override
    {
        return std::make_unique<RedisStateStore>(_pool, _locks, serviceId);
    }
    void ping() override { _pool.execute({"PING"}); }

private:
    RedisPool _pool;
    RedisLocks _locks;
};

} // namespace portico::host::platform
