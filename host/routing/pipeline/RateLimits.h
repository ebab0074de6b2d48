#pragma once

#include "host/routing/pipeline/Settings.h"

#include "portico/Caller.h"
#include "portico/Clock.h"
#include "portico/Response.h"
#include "portico/StateStore.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace portico::host::routing
{

/// Number of requests per time, spread evenly, with a burst of the whole window.
struct Rate
{
    std::int64_t requests = 0;
    std::chrono::seconds window{60};
};

/// Decision of a limiter about one request.
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

/// Subjects by which requests are counted.
enum class RateSubject : std::uint8_t
{
    Address,
    Principal
};

/// Token buckets, each stored as one number: the moment at which it is full again (GCRA). Memory is bounded: shards of small sets; a full
/// set drops the bucket that would be full soonest. Thread-safe; a call locks its shard briefly.
class RateLimiter
{
public:
    using Time = std::chrono::steady_clock::time_point;

    RateLimiter();
    /// Counts one request in the bucket of `name`. An IPv6 address is counted by its /64 network, which belongs to one customer.
    RateVerdict take(RateSubject subject, std::string_view name, const Rate& rate, Time now);
    /// Delays the bucket's full state to `used` at least, for requests that other hosts allowed.
    void use(RateSubject subject, std::string_view name, std::chrono::nanoseconds used, Time now);

    /// Name of the bucket, the same on every host.
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

    /// One key per subject, for `crypto_shorthash`.
    std::array<std::array<unsigned char, 16>, 2> _keys;
    std::unique_ptr<std::array<Shard, shardCount>> _shards;
};

/// Adds the requests that other hosts allowed, through the shared store. Below a tenth of the limit a caller is counted locally only. Above
/// it, a separate thread writes the allowed requests to the store and reads those of the other hosts: no request waits for it. While the
/// store is unavailable, each host counts locally; afterwards the counts are added up. Thread-safe.
class SharedRates
{
public:
    /// All outlive this. `clock` agrees with those of the other hosts.
    SharedRates(RateLimiter& limiter, StateStore& store, const Clock& clock);
    /// Waits for an exchange that runs.
    ~SharedRates();

    /// Records an allowed request.
    void note(RateSubject subject, std::string_view name, const Rate& rate, const RateVerdict& verdict, RateLimiter::Time now);

private:
    struct Use
    {
        RateSubject subject = RateSubject::Address;
        std::string name;
        Rate rate;
        /// Not written to the store yet.
        std::int64_t letIn = 0;
        RateLimiter::Time last;
    };
    using Uses = std::map<std::string, Use, std::less<>>;

    void run(const std::stop_token& stop);
    Uses takeUnwritten();
    void exchange(const std::string& key, const Use& use);
    void putBack(const Uses& unwritten);

    RateLimiter& _limiter;
    StateStore& _store;
    const Clock& _clock;
    std::mutex _mutex;
    std::condition_variable_any _wake;
    bool _unwritten = false;
    /// By the key in the store.
    Uses _uses;
    std::jthread _thread;
};

/// The stage that bounds how often one caller asks: a principal (for a key the key) by its own limit or the host's, a stranger by his
/// address. Hosts that share a store count together. Thread-safe.
class RateLimits
{
public:
    /// `shared` may be null: then this host counts locally only.
    RateLimits(const Settings& settings, StateStore* shared, const Clock& clock);
    /// Each counts one request and stores its result in `verdict`, also when it refuses. @throws Problem 429 `rate_limited`
    void admitAddress(std::string_view address, RateLimiter::Time now, RateVerdict& verdict);
    void admitCaller(const Caller& caller, std::string_view address, RateLimiter::Time now, RateVerdict& verdict);

private:
    RateVerdict take(RateSubject subject, std::string_view name, const Rate& rate, RateLimiter::Time now);
    static void raise(const RateVerdict& verdict);

    bool _on;
    Rate _perPrincipal;
    Rate _perAddress;
    RateLimiter _limiter;
    std::optional<SharedRates> _shared;
};

} // namespace portico::host::routing
