#include "host/platform/state/redis/RedisStateStore.h"

#include "host/base/Random.h"
#include "host/base/Text.h"

#include "portico/Problem.h"

#include <Poco/Redis/Array.h>

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

using Poco::Redis::BulkString;
using std::chrono::milliseconds;

// A hash: v is the value, n its version. A time to live of zero or less removes the key, as PEXPIRE does. KEYS[2] has the keys of the use
// by expiration, by the clocks of the hosts: a difference between them only changes which key is removed first.

/// Before every script. Removes a key from the set of its use and from the sizes of a limited use.
constexpr std::string_view dropFunction = R"(
local function resize(key, size)
    local before = redis.call('HGET', KEYS[3], key)
    if not before and size == 0 then return 0 end
    if size == 0 then redis.call('HDEL', KEYS[3], key) else redis.call('HSET', KEYS[3], key, size) end
    return redis.call('HINCRBY', KEYS[3], '', size - tonumber(before or '0'))
end
local function drop(key)
    redis.call('ZREM', KEYS[2], key)
    resize(key, 0)
    return redis.call('DEL', key)
end
)";

/// Before every script that writes. Stores a value, and removes those that expire first if a use has too many values or bytes.
constexpr std::string_view keepFunction = R"(
local function keep()
    local life, now, most, bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[7])
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    if life <= 0 then return drop(KEYS[1]) end
    if bytes > 0 then
        for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])) do drop(key) end
    end
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
    redis.call('ZADD', KEYS[2], string.format('%.0f', now + life), KEYS[1])
    if redis.call('PTTL', KEYS[2]) < life then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
    if bytes > 0 then
        local total = resize(KEYS[1], tonumber(ARGV[8]))
        if redis.call('PTTL', KEYS[3]) < life then redis.call('PEXPIRE', KEYS[3], ARGV[3]) end
        while total > bytes do
            local first = redis.call('ZRANGE', KEYS[2], 0, 1)
            local key = first[1] ~= KEYS[1] and first[1] or first[2]
            if not key then break end
            drop(key)
            total = tonumber(redis.call('HGET', KEYS[3], '') or '0')
        end
    end
    if redis.call('ZCARD', KEYS[2]) <= most then return end
    for _, key in ipairs(redis.call('ZRANGE', KEYS[2], 0, 1)) do
        if key ~= KEYS[1] then return drop(key) end
    end
end
)";

constexpr std::string_view putScript = R"(
redis.call('HSET', KEYS[1], 'n', ARGV[1], 'v', ARGV[2])
keep()
return 1)";

constexpr std::string_view compareAndSetScript = R"(
if (redis.call('HGET', KEYS[1], 'n') or '0') ~= ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], 'n', ARGV[1], 'v', ARGV[2])
keep()
return 1)";

constexpr std::string_view removeScript = "return drop(KEYS[1])";

constexpr std::string_view takeScript = R"(
local value = redis.call('HGET', KEYS[1], 'v')
drop(KEYS[1])
return value)";

/// Lua's numbers are not exact beyond 53 bits: the sum stays a text here. Without an answer, the stored value is no number.
constexpr std::string_view addScript = R"(
local fresh = redis.call('EXISTS', KEYS[1]) == 0
local sum = redis.pcall('HINCRBY', KEYS[1], 'v', ARGV[2])
if type(sum) == 'table' and sum.err then
    if string.find(sum.err, 'not an integer') then return false end
    if not string.find(sum.err, 'overflow') then return sum end
    local limit = string.sub(ARGV[2], 1, 1) == '-' and '-9223372036854775808' or '9223372036854775807'
    redis.call('HSET', KEYS[1], 'v', limit)
end
redis.call('HSET', KEYS[1], 'n', ARGV[1])
local text = redis.call('HGET', KEYS[1], 'v')
if fresh then keep() end
return text)";

/// Rough size of an entry in Redis without its key and value.
constexpr std::size_t entryBytes = 208;

/// Redis counts from 1970 and rejects larger values.
constexpr milliseconds longestLife = std::chrono::hours(24 * 365 * 100);

std::string lifeText(milliseconds timeToLive) { return std::to_string(std::min(timeToLive, longestLife).count()); }

[[noreturn]] void unexpected() { throw std::runtime_error("an answer of another form"); }

template <class T>
const T& valueOf(const RedisReply& reply)
{
    const auto* typed = dynamic_cast<const Poco::Redis::Type<T>*>(reply.get());
    if (!typed) unexpected();
    return typed->value();
}

bool isOne(const RedisReply& reply) { return valueOf<Poco::Int64>(reply) == 1; }

std::optional<std::string> textOf(const RedisReply& reply)
{
    const auto& text = valueOf<BulkString>(reply);
    return text.isNull() ? std::nullopt : std::optional(text.value());
}

template <class Number>
Number numberFrom(const std::string& text)
{
    const auto number = parseNumber<Number>(text);
    if (!number) unexpected();
    return *number;
}

} // namespace

template <class Read>
auto RedisStateStore::ask(const std::vector<std::string_view>& command, Read read)
{
    const auto reply = _pool.execute(command);
    try
    {
        return read(reply);
    }
    catch (const std::exception& error)
    {
        _pool.misunderstood(error.what());
    }
}

std::optional<StateStore::Entry> RedisStateStore::get(std::string_view key)
{
    return ask({"HMGET", valueKey(key), "v", "n"},
               [](const RedisReply& reply) -> std::optional<Entry>
               {
                   const auto& fields = valueOf<Poco::Redis::Array>(reply);
                   const auto value = fields.get<BulkString>(0), version = fields.get<BulkString>(1);
                   if (value.isNull() || version.isNull()) return std::nullopt;
                   return Entry{value.value(), numberFrom<std::uint64_t>(version.value())};
               });
}

template <class Read>
auto RedisStateStore::write(std::string_view script, std::string_view key, std::string_view value, milliseconds timeToLive, Read read,
                            const std::string& more)
{
    const auto now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    const auto bytes = limitOf(key);
    const auto size = entryBytes + key.size() + value.size();
    if (bytes > 0 && size > bytes) throw Problem::unavailable("overloaded", "The value exceeds the limit of its kind.", 5);
    return ask({"EVAL", std::string(dropFunction).append(keepFunction).append(script), "3", valueKey(key), useKey(key), sizesKey(key),
                std::to_string(randomNumber() | 1), value, lifeText(timeToLive), std::to_string(now.count()),
                std::to_string(_pool.settings().valuesPerUse), more, std::to_string(bytes), std::to_string(size)},
               read);
}

void RedisStateStore::put(std::string_view key, std::string_view value, milliseconds timeToLive)
{
    write(putScript, key, value, timeToLive, isOne);
}

bool RedisStateStore::compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value, milliseconds timeToLive)
{
    return write(compareAndSetScript, key, value, timeToLive, isOne, std::to_string(expectedVersion));
}

bool RedisStateStore::remove(std::string_view key)
{
    return ask({"EVAL", std::string(dropFunction).append(removeScript), "3", valueKey(key), useKey(key), sizesKey(key)}, isOne);
}

std::optional<std::string> RedisStateStore::take(std::string_view key)
{
    return ask({"EVAL", std::string(dropFunction).append(takeScript), "3", valueKey(key), useKey(key), sizesKey(key)}, textOf);
}

std::int64_t RedisStateStore::add(std::string_view key, std::int64_t amount, milliseconds timeToLive)
{
    const auto sum = write(addScript, key, std::to_string(amount), timeToLive,
                           [](const RedisReply& reply) -> std::optional<std::int64_t>
                           {
                               const auto text = textOf(reply);
                               if (!text) return std::nullopt;
                               return numberFrom<std::int64_t>(*text);
                           });
    if (!sum) throw std::invalid_argument("state store: \"" + std::string(key) + "\" is not a counter");
    return *sum;
}

void RedisStateStore::limit(std::string_view use, std::uint64_t bytes)
{
    const std::lock_guard lock(_limitsMutex);
    _limits.insert_or_assign(std::string(use), bytes);
}

std::uint64_t RedisStateStore::limitOf(std::string_view key) const
{
    const std::lock_guard lock(_limitsMutex);
    const auto found = _limits.find(useOfKey(key));
    return found == _limits.end() ? 0 : found->second;
}

void RedisStateStore::withLock(std::string_view key, milliseconds timeout, const std::function<void()>& work)
{
    _locks.withLock(_prefix + "l:" + std::string(key), timeout, work);
}

} // namespace portico::host::platform
