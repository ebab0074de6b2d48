#include "host/platform/state/redis/RedisStateStore.h"

#include "host/base/Random.h"
#include "host/base/Text.h"

#include <Poco/Redis/Array.h>

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

using Poco::Redis::BulkString;
using std::chrono::milliseconds;

// A hash: v is the value, n its version. A time to live of nothing or less removes the key, as PEXPIRE does. KEYS[2] has the keys of the
// use by when they end, by the clocks of the hosts: a difference between them only moves who is taken out first.

/// Before every script that writes. Enters a value, and takes out what ends first where there are too many of a use.
constexpr std::string_view keepFunction = R"(
local function keep()
    local life, now, most = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    if life <= 0 then return redis.call('ZREM', KEYS[2], KEYS[1]) end
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
    redis.call('ZADD', KEYS[2], string.format('%.0f', now + life), KEYS[1])
    if redis.call('PTTL', KEYS[2]) < life then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
    if redis.call('ZCARD', KEYS[2]) <= most then return end
    for _, key in ipairs(redis.call('ZRANGE', KEYS[2], 0, 1)) do
        if key ~= KEYS[1] then
            redis.call('ZREM', KEYS[2], key)
            return redis.call('DEL', key)
        end
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

constexpr std::string_view removeScript = R"(
redis.call('ZREM', KEYS[2], KEYS[1])
return redis.call('DEL', KEYS[1]))";

constexpr std::string_view takeScript = R"(
local value = redis.call('HGET', KEYS[1], 'v')
redis.call('ZREM', KEYS[2], KEYS[1])
redis.call('DEL', KEYS[1])
return value)";

/// Lua's numbers are not exact beyond 53 bits: the sum stays a text here. No answer: what is there is no number.
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

/// Redis counts from 1970 and refuses what does not fit.
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
    return ask({"EVAL", std::string(keepFunction).append(script), "2", valueKey(key), useKey(key), std::to_string(randomNumber() | 1),
                value, lifeText(timeToLive), std::to_string(now.count()), std::to_string(_pool.settings().valuesPerUse), more},
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

bool RedisStateStore::remove(std::string_view key) { return ask({"EVAL", removeScript, "2", valueKey(key), useKey(key)}, isOne); }

std::optional<std::string> RedisStateStore::take(std::string_view key)
{
    return ask({"EVAL", takeScript, "2", valueKey(key), useKey(key)}, textOf);
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

void RedisStateStore::withLock(std::string_view key, milliseconds timeout, const std::function<void()>& work)
{
    _locks.withLock(_prefix + "l:" + std::string(key), timeout, work);
}

} // namespace portico::host::platform
