#include "host/routing/pipeline/RateLimits.h"

#include "host/base/IpAddress.h"
#include "host/base/Text.h"

#include "portico/Problem.h"

#include <algorithm>
#include <utility>

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

/// Returns the bucket of an address: an IPv6 address has that of its /64 network, written into `network`; any other name is unchanged.
std::string_view networkOf(std::string_view address, IpAddress& network) noexcept
{
    const auto parsed = address.find(':') == std::string_view::npos ? std::nullopt : IpAddress::parse(address);
    if (!parsed || parsed->isIpv4()) return address;
    network = *parsed;
    return {reinterpret_cast<const char*>(network.bytes.data()), 8};
}

/// A caller is shared from this part of its limit on.
constexpr std::int64_t noticeable = 10;
/// More callers than this are each counted by the host they come to.
constexpr std::size_t maxUses = 20'000;
/// Time between two exchanges; requests allowed in between are written together.
constexpr std::chrono::milliseconds pause{50};
constexpr std::chrono::milliseconds pauseWhileAway{1'000};
/// Several hosts write the same key; each round one of them succeeds.
constexpr int tries = 20;

} // namespace

void RateVerdict::addHeaders(Response& response) const
{
    response.addHeader("RateLimit-Limit", std::to_string(limit));
    response.addHeader("RateLimit-Remaining", std::to_string(remaining));
    response.addHeader("RateLimit-Reset", std::to_string(resetSeconds));
}

RateLimiter::RateLimiter() : _shards(std::make_unique<std::array<Shard, shardCount>>())
{
    crypto_shorthash_keygen(_keys[0].data());
    crypto_shorthash_keygen(_keys[1].data());
}

/// The hash is keyed, so that clients cannot choose names that share another client's bucket.
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

SharedRates::SharedRates(RateLimiter& limiter, StateStore& store, const Clock& clock)
    : _limiter(limiter), _store(store), _clock(clock), _thread([this](const std::stop_token& stop) { run(stop); })
{
}

SharedRates::~SharedRates() = default;

void SharedRates::note(RateSubject subject, std::string_view name, const Rate& rate, const RateVerdict& verdict, RateLimiter::Time now)
{
    const auto used = verdict.limit - verdict.remaining;
    if (used * noticeable < verdict.limit) return;
    const auto key = RateLimiter::bucketName(subject, name);
    const std::lock_guard lock(_mutex);
    auto found = _uses.find(key);
    if (found == _uses.end())
    {
        if (_uses.size() >= maxUses) return;
        // The earlier requests were not recorded for other hosts.
        found = _uses.emplace(key, Use{.subject = subject, .name = std::string(name), .rate = rate, .letIn = used - 1, .last = now}).first;
    }
    found->second.rate = rate;
    found->second.last = now;
    ++found->second.letIn;
    if (std::exchange(_unwritten, true)) return;
    _wake.notify_one();
}

void SharedRates::run(const std::stop_token& stop)
{
    while (!stop.stop_requested())
    {
        Uses unwritten;
        {
            std::unique_lock lock(_mutex);
            if (!_wake.wait(lock, stop, [this] { return _unwritten; })) return;
            unwritten = takeUnwritten();
        }
        auto wait = pause;
        while (!unwritten.empty()) try
            {
                exchange(unwritten.begin()->first, unwritten.begin()->second);
                unwritten.erase(unwritten.begin());
            }
            catch (const std::exception&)
            {
                // Logged where it was noticed.
                putBack(unwritten);
                unwritten.clear();
                wait = pauseWhileAway;
            }
        std::unique_lock lock(_mutex);
        _wake.wait_for(lock, stop, wait, [] { return false; });
    }
}

/// Returns the unwritten counts, and drops callers that were idle for a window.
SharedRates::Uses SharedRates::takeUnwritten()
{
    Uses unwritten;
    RateLimiter::Time newest{};
    for (const auto& [key, use] : _uses) newest = std::max(newest, use.last);
    for (auto& [key, use] : _uses)
        if (use.letIn > 0)
        {
            unwritten.emplace(key, use);
            use.letIn = 0;
        }
        else if (newest - use.last > use.rate.window)
            use.name.clear();
    std::erase_if(_uses, [](const auto& entry) { return entry.second.name.empty(); });
    _unwritten = false;
    return unwritten;
}

/// The bucket of all hosts is, as in the limiter, the moment at which it is full again.
void SharedRates::exchange(const std::string& key, const Use& use)
{
    const auto window = std::chrono::nanoseconds(use.rate.window).count();
    const auto cost = RateLimiter::cost(use.rate);
    for (int i = 0; i < tries; ++i)
    {
        const auto found = _store.get(key);
        const auto now = std::chrono::nanoseconds(_clock.now().time_since_epoch()).count();
        const auto before = std::clamp(found ? parseNumber<std::int64_t>(found->value).value_or(0) : 0, now, now + window);
        const auto fullAt = std::min(before + use.letIn * cost, now + window);
        if (!_store.compareAndSet(key, found ? found->version : 0, std::to_string(fullAt), use.rate.window)) continue;
        return _limiter.use(use.subject, use.name, std::chrono::nanoseconds(fullAt - now), use.last);
    }
}

void SharedRates::putBack(const Uses& unwritten)
{
    const std::lock_guard lock(_mutex);
    for (const auto& [key, use] : unwritten) _uses.at(key).letIn += use.letIn;
    _unwritten = true;
}

RateLimits::RateLimits(const Settings& settings, StateStore* shared, const Clock& clock)
    : _on(settings.rateLimits), _perPrincipal{settings.requestsPerMinute}, _perAddress{settings.anonymousRequestsPerMinute}
{
    if (_on && shared) _shared.emplace(_limiter, *shared, clock);
}

RateVerdict RateLimits::take(RateSubject subject, std::string_view name, const Rate& rate, RateLimiter::Time now)
{
    const auto verdict = _limiter.take(subject, name, rate, now);
    if (_shared && verdict.allowed) _shared->note(subject, name, rate, verdict, now);
    return verdict;
}

void RateLimits::admitAddress(std::string_view address, RateLimiter::Time now, RateVerdict& verdict)
{
    if (!_on) return;
    verdict = take(RateSubject::Address, address, _perAddress, now);
    raise(verdict);
}

void RateLimits::admitCaller(const Caller& caller, std::string_view address, RateLimiter::Time now, RateVerdict& verdict)
{
    if (!_on) return;
    if (caller.anonymous()) return admitAddress(address, now, verdict);
    const Rate own{caller.rateLimit, std::chrono::seconds(std::max<std::int64_t>(1, caller.rateWindowSeconds))};
    const auto name = caller.apiKeyId.empty() ? std::string_view(caller.principalId) : std::string_view(caller.apiKeyId);
    verdict = take(RateSubject::Principal, name, caller.rateLimit > 0 ? own : _perPrincipal, now);
    raise(verdict);
}

void RateLimits::raise(const RateVerdict& verdict)
{
    if (!verdict.allowed) throw Problem::rateLimited(verdict.retrySeconds);
}

} // namespace portico::host::routing
