#pragma once

#include "host/platform/state/KeyedMutex.h"
#include "host/platform/state/redis/RedisPool.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace portico::host::platform
{

/// Runs work while no other host runs one for the same key. A lock belongs to the holder of its token and expires when its host stops; a
/// thread renews the locks of this host.
/// The lock depends on Redis: a host that cannot reach it for longer than the lease, or a Redis that loses data, admits a second holder.
/// Correctness therefore needs a unique key in the database as well. Thread-safe.
class RedisLocks
{
public:
    RedisLocks(RedisPool& pool, Logger& log);

    /// @throws Problem 503 `overloaded` if the key stays locked longer than `timeout`, or Redis is unavailable; exceptions of `work`
    void withLock(const std::string& key, std::chrono::milliseconds timeout, const std::function<void()>& work);

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    bool acquire(const std::string& key, const std::string& token);
    void waitToAcquire(const std::string& key, const std::string& token, TimePoint until);
    void release(const std::string& key, const std::string& token) noexcept;
    void hold(const std::string& key, const std::string& token);
    void renewUntil(const std::stop_token& stop);
    void renew(const std::string& key, const std::string& token);

    RedisPool& _pool;
    Logger& _log;
    const std::string _leaseMilliseconds;
    KeyedMutex _gates;
    std::mutex _mutex;
    std::condition_variable_any _changed;
    /// Token by key.
    std::map<std::string, std::string> _held;
    std::jthread _renewer;
};

} // namespace portico::host::platform
