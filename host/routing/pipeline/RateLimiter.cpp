#include "host/routing/pipeline/RateLimiter.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <random>

#include <arpa/inet.h>
#include <netinet/in.h>

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
std::string_view networkOf(std::string_view address, in6_addr& network) noexcept
{
    char text[INET6_ADDRSTRLEN] = {};
    if (address.size() >= sizeof text || address.find(':') == std::string_view::npos) return address;
    address.copy(text, address.size());
    if (inet_pton(AF_INET6, text, &network) != 1 || IN6_IS_ADDR_V4MAPPED(&network)) return address;
    return {reinterpret_cast<const char*>(&network), 8};
}

std::uint64_t multiplyFold(std::uint64_t a, std::uint64_t b) noexcept
{
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
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
    std::random_device random;
    _seed = (static_cast<std::uint64_t>(random()) << 32) | random();
}

/// Seeded, so that nobody can choose names that share the bucket of another.
std::uint64_t RateLimiter::hash(RateSubject subject, std::string_view name) const noexcept
{
    std::uint64_t value = _seed ^ (static_cast<std::uint64_t>(subject) + 1) * 0x9e3779b97f4a7c15ULL;
    while (!name.empty())
    {
        std::uint64_t word = 0;
        const auto length = std::min<std::size_t>(name.size(), sizeof word);
        std::memcpy(&word, name.data(), length);
        value = multiplyFold(value ^ word, 0xa0761d6478bd642fULL ^ (_seed + length));
        name.remove_prefix(length);
    }
    // Never 0, which marks a free bucket.
    return multiplyFold(value, 0xe7037ed1a0b428dbULL) | 1;
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
    in6_addr network;
    const std::uint64_t key = hash(subject, subject == RateSubject::Address ? networkOf(name, network) : name);
    Shard& shard = (*_shards)[(key >> 1) % shardCount];
    const std::lock_guard lock(shard.mutex);
    if (!shard.sets) shard.sets = std::make_unique<std::array<Set, setsPerShard>>();
    work(bucketOf((*shard.sets)[(key >> 7) % setsPerShard], key));
}

std::string RateLimiter::bucketName(RateSubject subject, std::string_view name)
{
    if (subject == RateSubject::Principal) return "principal:" + std::string(name);
    in6_addr network;
    const auto bytes = networkOf(name, network);
    if (bytes.data() == name.data()) return "address:" + std::string(name);
    std::string text = "network";
    for (const char byte : bytes) text += ":" + std::to_string(static_cast<unsigned char>(byte));
    return text;
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
