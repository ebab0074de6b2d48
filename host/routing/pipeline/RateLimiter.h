#pragma once

#include "portico/Response.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// So many requests in so long, spread evenly, with a burst of the whole window.
struct Rate
{
    std::int64_t requests = 0;
    std::chrono::seconds window{60};
};

/// What a limiter said about one request.
struct RateVerdict
{
    /// False: no limit applies.
    bool limited = false;
    bool allowed = true;
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    /// Until the whole burst is there again.
    std::int64_t resetSeconds = 0;
    /// Until one request is.
    std::int64_t retrySeconds = 0;

    /// `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`.
    void addHeaders(Response& response) const;
};

/// Whose requests are counted together.
enum class RateSubject : std::uint8_t
{
    Address,
    Principal
};

/// Token buckets, each kept as one number: the moment at which it is full again (GCRA). Memory is bounded: shards of small sets, where a
/// full set forgets the bucket that would be full soonest. Thread-safe; a call takes one short lock of its shard.
class RateLimiter
{
public:
    using Time = std::chrono::steady_clock::time_point;

    RateLimiter();
    /// Takes one request out of the bucket of `name`. An IPv6 address counts as its /64 network, which one customer has.
    RateVerdict take(RateSubject subject, std::string_view name, const Rate& rate, Time now);
    /// Lets the bucket of `name` be full again no earlier than after `used`: other hosts have taken from it, too.
    void use(RateSubject subject, std::string_view name, std::chrono::nanoseconds used, Time now);

    /// What `name` is counted under, the same on every host.
    static std::string bucketName(RateSubject subject, std::string_view name);
    /// Nanoseconds until one request is there again.
    static std::int64_t cost(const Rate& rate) noexcept;

private:
    static constexpr std::size_t shardCount = 64;
    static constexpr std::size_t setsPerShard = 64;
    static constexpr std::size_t ways = 8;
    struct Bucket
    {
        std::uint64_t key = 0;
        std::int64_t fullAtNanos = 0;
    };
    using Set = std::array<Bucket, ways>;
    struct alignas(64) Shard
    {
        std::mutex mutex;
        /// Made at first use: an idle host does not pay for it.
        std::unique_ptr<std::array<Set, setsPerShard>> sets;
    };

    std::uint64_t hash(RateSubject subject, std::string_view name) const noexcept;
    template <class Work>
    void withBucket(RateSubject subject, std::string_view name, Work work);
    static Bucket& bucketOf(Set& set, std::uint64_t key) noexcept;

    /// Of each subject, for `crypto_shorthash`.
    std::array<std::array<unsigned char, 16>, 2> _keys;
    std::unique_ptr<std::array<Shard, shardCount>> _shards;
};

} // namespace portico::host::routing
