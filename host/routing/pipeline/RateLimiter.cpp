#include "host/routing/pipeline/RateLimiter.h"

#include "host/base/IpAddress.h"

#include <algorithm>
#include <charconv>

#include <sodium.h>

namespace portico::host::routing
{

namespace
{

constexpr std::int64_t nanosPerSecond = 1'000'000'000;

std::int64_t secondsUp(std::int64_t nanos) noexcept { return (std::max<std::int64_t>(nanos, 0) + nanosPerSecond - 1) / nanosPerSecond; }

std::int64_t nanosOf(RateLimiter::Time time) noexcept
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

/// Whose bucket an address is: for IPv6 the /64 network that it lies in, written into `network`; any other name as it is.
std::string_view networkOf(std::string_view address, IpAddress& network) noexcept
{
    const auto parsed = address.find(':') == std::string_view::npos ? std::nullopt : IpAddress::parse(address);
    if (!parsed || parsed->isIpv4()) return address;
    network = *parsed;
    return {reinterpret_cast<const char*>(network.bytes.data()), 8};
}

void addNumber(Response& response, std::string_view name, std::int64_t value)
{
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    response.addHeader(name, {text, static_cast<std::size_t>(end - text)});
}

} // namespace

void RateVerdict::addHeaders(Response& response) const
{
    addNumber(response, "RateLimit-Limit", limit);
    addNumber(response, "RateLimit-Remaining", remaining);
    addNumber(response, "RateLimit-Reset", resetSeconds);
}

RateLimiter::RateLimiter() : _shards(std::make_unique<std::array<Shard, shardCount>>())
{
    crypto_shorthash_keygen(_keys[0].data());
    crypto_shorthash_keygen(_keys[1].data());
}

/// Keyed, so that nobody can choose names that share the bucket of another.
std::uint64_t RateLimiter::hash(RateSubject subject, std::string_view name) const noexcept
{
    std::uint64_t value = 0;
    static_assert(sizeof value == crypto_shorthash_BYTES);
    crypto_shorthash(reinterpret_cast<unsigned char*>(&value), reinterpret_cast<const unsigned char*>(name.data()), name.size(),
                     _keys[static_cast<std::size_t>(subject)].data());
    // Never 0, which marks a free bucket.
    return value | 1;
}

/// The bucket of the key, or else the one that is full soonest: a full bucket is the same as none.
RateLimiter::Bucket& RateLimiter::bucketOf(Set& set, std::uint64_t key) noexcept
{
    Bucket* soonest = &set.front();
    for (Bucket& bucket : set)
    {
        if (bucket.key == key) return bucket;
        if (bucket.fullAtNanos < soonest->fullAtNanos) soonest = &bucket;
    }
    *soonest = Bucket{key, 0};
    return *soonest;
}

template <class Work>
void RateLimiter::withBucket(RateSubject subject, std::string_view name, Work work)
{
    IpAddress network;
    const std::uint64_t key = hash(subject, subject == RateSubject::Address ? networkOf(name, network) : name);
    Shard& shard = (*_shards)[(key >> 1) % shardCount];
    const std::lock_guard lock(shard.mutex);
    if (!shard.sets) shard.sets = std::make_unique<std::array<Set, setsPerShard>>();
    work(bucketOf((*shard.sets)[(key >> 7) % setsPerShard], key));
}

std::string RateLimiter::bucketName(RateSubject subject, std::string_view name)
{
    if (subject == RateSubject::Principal) return "principal:" + std::string(name);
    const auto address = IpAddress::parse(name);
    return "address:" + (address ? address->network().text() : std::string(name));
}

std::int64_t RateLimiter::cost(const Rate& rate) noexcept
{
    return std::max<std::int64_t>(1, rate.window.count() * nanosPerSecond / std::max<std::int64_t>(1, rate.requests));
}

void RateLimiter::use(RateSubject subject, std::string_view name, std::chrono::nanoseconds used, Time now)
{
    const auto fullAt = nanosOf(now) + used.count();
    withBucket(subject, name, [&](Bucket& bucket) { bucket.fullAtNanos = std::max(bucket.fullAtNanos, fullAt); });
}

RateVerdict RateLimiter::take(RateSubject subject, std::string_view name, const Rate& rate, Time now)
{
    const std::int64_t window = rate.window.count() * nanosPerSecond;
    const std::int64_t cost = RateLimiter::cost(rate);
    const std::int64_t nowNanos = nanosOf(now);
    std::int64_t fullAt = 0;
    bool allowed = false;
    withBucket(subject, name,
               [&](Bucket& bucket)
               {
                   fullAt = std::max(bucket.fullAtNanos, nowNanos) + cost;
                   allowed = fullAt - nowNanos <= window;
                   if (allowed) bucket.fullAtNanos = fullAt;
               });
    if (!allowed) fullAt -= cost;

    const std::int64_t used = fullAt - nowNanos;
    return {.limited = true,
            .allowed = allowed,
            .limit = rate.requests,
            .remaining = allowed ? (window - used) / cost : 0,
            .resetSeconds = secondsUp(used),
            .retrySeconds = allowed ? 0 : std::max<std::int64_t>(1, secondsUp(used + cost - window))};
}

} // namespace portico::host::routing
