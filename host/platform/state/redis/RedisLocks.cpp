#include "host/platform/state/redis/RedisLocks.h"

#include "host/base/Digests.h"
#include "host/base/Random.h"

#include "portico/Problem.h"

#include <algorithm>
#include <utility>

namespace portico::host::platform
{

namespace
{

using std::chrono::milliseconds;

constexpr const char* releaseScript = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])";
constexpr const char* renewScript =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('PEXPIRE', KEYS[1], ARGV[2])";

/// Pauses between two checks of a key that another host has locked: Redis sends no notification.
constexpr milliseconds firstPause{2};
constexpr milliseconds longestPause{50};

Problem busy() { return Problem::unavailable("overloaded", "The resource is locked by another request.", 1); }

bool saidOne(const RedisReply& reply)
{
    const auto* number = dynamic_cast<const Poco::Redis::Type<Poco::Int64>*>(reply.get());
    return number && number->value() == 1;
}

} // namespace

RedisLocks::RedisLocks(RedisPool& pool, Logger& log)
    : _pool(pool), _log(log), _leaseMilliseconds(std::to_string(pool.settings().lockLease.count()))
{
}

void RedisLocks::withLock(const std::string& key, milliseconds timeout, const std::function<void()>& work)
{
    const auto until = std::chrono::steady_clock::now() + std::min<milliseconds>(timeout, std::chrono::hours(24));
    // The threads of this host queue here; only the first of them asks Redis.
    const auto lockAndWork = [&]
    {
        const auto token = toHex(randomBytes(16));
        waitToAcquire(key, token, until);
        struct Release
        {
            RedisLocks& locks;
            const std::string& key;
            const std::string& token;
            ~Release() { locks.release(key, token); }
        } const releaseAtEnd{*this, key, token};
        hold(key, token);
        work();
    };
    if (!_gates.runAlone(key, timeout, lockAndWork)) throw busy();
}

bool RedisLocks::acquire(const std::string& key, const std::string& token)
{
    // "+OK", or a null when another has it.
    return _pool.execute({"SET", key, token, "NX", "PX", _leaseMilliseconds})->isSimpleString();
}

void RedisLocks::waitToAcquire(const std::string& key, const std::string& token, TimePoint until)
{
    for (auto pause = firstPause; !acquire(key, token); pause = std::min(pause * 2, longestPause))
    {
        const auto left = until - std::chrono::steady_clock::now();
        if (left <= milliseconds(0)) throw busy();
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, left));
    }
}

void RedisLocks::release(const std::string& key, const std::string& token) noexcept
{
    {
        const std::lock_guard lock(_mutex);
        _held.erase(key);
    }
    try
    {
        _pool.execute({"EVAL", releaseScript, "1", key, token});
    }
    catch (const std::exception&)
    {
        // Its lease ends it.
    }
}

void RedisLocks::hold(const std::string& key, const std::string& token)
{
    const std::lock_guard lock(_mutex);
    _held[key] = token;
    if (!_renewer.joinable()) _renewer = std::jthread([this](const std::stop_token& stop) { renewUntil(stop); });
}

void RedisLocks::renewUntil(const std::stop_token& stop)
{
    std::unique_lock lock(_mutex);
    while (!_changed.wait_for(lock, stop, _pool.settings().lockLease / 3, [&stop] { return stop.stop_requested(); }))
    {
        const std::vector<std::pair<std::string, std::string>> held(_held.begin(), _held.end());
        lock.unlock();
        for (const auto& [key, token] : held) renew(key, token);
        lock.lock();
    }
}

void RedisLocks::renew(const std::string& key, const std::string& token)
{
    try
    {
        if (saidOne(_pool.execute({"EVAL", renewScript, "1", key, token, _leaseMilliseconds}))) return;
        const std::lock_guard lock(_mutex);
        const auto found = _held.find(key);
        if (found == _held.end() || found->second != token) return; // already released
        _held.erase(found);
        _log.error("the lock of a key was lost while working on it: another host may work on it too", {{"key", key}});
    }
    catch (const std::exception&)
    {
        // Redis is away, which its pool has logged; there are two more tries before the lease ends.
    }
}

} // namespace portico::host::platform
