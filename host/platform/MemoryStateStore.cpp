#include "host/platform/MemoryStateStore.h"

#include "portico/Problem.h"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

/// What a map node, a deadline and two small strings take beside the texts themselves.
constexpr std::size_t entryOverhead = 160;
/// Expired entries that one write drops in passing: more than it adds, so that the store shrinks even if nobody sweeps.
constexpr std::size_t dropsPerWrite = 4;

std::size_t costOf(std::string_view key, std::string_view value) noexcept { return entryOverhead + 2 * key.size() + value.size(); }

std::int64_t counterValue(std::string_view key, const std::string& text)
{
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) throw std::invalid_argument("state store: \"" + std::string(key) + "\" is not a counter");
    return number;
}

std::int64_t saturatingSum(std::int64_t left, std::int64_t right) noexcept
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(left, right, &sum)) return sum;
    return right > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

} // namespace

MemoryStateStore::MemoryStateStore(const Clock& clock, std::size_t limitBytes) : _clock(clock), _limitBytes(limitBytes) {}

MemoryStateStore::~MemoryStateStore() = default;

std::optional<StateStore::Entry> MemoryStateStore::get(std::string_view key)
{
    auto& shard = shardOf(key);
    const std::lock_guard lock(shard.mutex);
    const auto slot = findLive(shard, key);
    if (slot == shard.slots.end()) return std::nullopt;
    return slot->second.entry;
}

void MemoryStateStore::put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive)
{
    auto& shard = shardOf(key);
    const std::lock_guard lock(shard.mutex);
    dropExpired(shard, dropsPerWrite);
    write(shard, key, value, now() + timeToLive);
}

bool MemoryStateStore::compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                                     std::chrono::milliseconds timeToLive)
{
    auto& shard = shardOf(key);
    const std::lock_guard lock(shard.mutex);
    dropExpired(shard, dropsPerWrite);
    const auto live = findLive(shard, key);
    const std::uint64_t version = live == shard.slots.end() ? 0 : live->second.entry.version;
    if (version != expectedVersion) return false;
    write(shard, key, value, now() + timeToLive);
    return true;
}

bool MemoryStateStore::remove(std::string_view key) { return take(key).has_value(); }

std::optional<std::string> MemoryStateStore::take(std::string_view key)
{
    auto& shard = shardOf(key);
    const std::lock_guard lock(shard.mutex);
    const auto slot = findLive(shard, key);
    if (slot == shard.slots.end()) return std::nullopt;
    auto value = std::move(slot->second.entry.value);
    // The value's bytes were charged; put them back before the slot is dropped.
    _usedBytes.fetch_sub(value.size(), std::memory_order_relaxed);
    slot->second.entry.value.clear();
    erase(shard, slot);
    return value;
}

std::int64_t MemoryStateStore::add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive)
{
    auto& shard = shardOf(key);
    const std::lock_guard lock(shard.mutex);
    dropExpired(shard, dropsPerWrite);
    const auto live = findLive(shard, key);
    if (live == shard.slots.end())
    {
        write(shard, key, std::to_string(amount), now() + timeToLive);
        return amount;
    }
    const auto sum = saturatingSum(counterValue(key, live->second.entry.value), amount);
    write(shard, key, std::to_string(sum), live->second.expires);
    return sum;
}

void MemoryStateStore::serialize(std::string_view key, std::chrono::milliseconds patience, const std::function<void()>& work)
{
    if (!_gates.enter(key, patience)) throw Problem::unavailable("overloaded", "Others are busy with the same thing.", 1);
    struct Leave
    {
        KeyGates& gates;
        std::string_view key;
        ~Leave() { gates.leave(key); }
    } const leaveAtEnd{_gates, key};
    work();
}

std::atomic<std::uint64_t>& MemoryStateStore::revision(std::string_view name) { return _revisions[name]; }

void MemoryStateStore::sweep()
{
    for (auto& shard : _shards)
    {
        const std::lock_guard lock(shard.mutex);
        dropExpired(shard, std::numeric_limits<std::size_t>::max());
    }
}

std::size_t MemoryStateStore::entryCount() const
{
    std::size_t count = 0;
    for (const auto& shard : _shards)
    {
        const std::lock_guard lock(shard.mutex);
        count += shard.slots.size();
    }
    return count;
}

MemoryStateStore::Slots::iterator MemoryStateStore::findLive(Shard& shard, std::string_view key) const
{
    const auto slot = shard.slots.find(key);
    if (slot == shard.slots.end() || slot->second.expires <= now()) return shard.slots.end();
    return slot;
}

void MemoryStateStore::write(Shard& shard, std::string_view key, std::string_view value, TimePoint expires)
{
    const auto after = platform::costOf(key, value);
    auto slot = shard.slots.find(key);
    if (_usedBytes.load(std::memory_order_relaxed) + after - costOf(shard, slot) > _limitBytes)
    {
        // The very slot that is written may have expired and be dropped here: so it is looked up again.
        dropExpired(shard, std::numeric_limits<std::size_t>::max());
        slot = shard.slots.find(key);
        if (_usedBytes.load(std::memory_order_relaxed) + after - costOf(shard, slot) > _limitBytes)
            throw Problem::unavailable("overloaded", "The store of short-lived values is full.", 5);
    }
    _usedBytes.fetch_add(after - costOf(shard, slot), std::memory_order_relaxed);
    const bool fresh = slot == shard.slots.end();
    if (fresh) slot = shard.slots.emplace(std::string(key), Slot{}).first;
    const bool sameDeadline = !fresh && slot->second.expires == expires;
    slot->second.entry.value.assign(value);
    slot->second.entry.version = _lastVersion.fetch_add(1, std::memory_order_relaxed) + 1;
    slot->second.expires = expires;
    if (!sameDeadline) scheduleExpiry(shard, key, expires);
}

std::size_t MemoryStateStore::costOf(const Shard& shard, Slots::const_iterator slot)
{
    return slot == shard.slots.end() ? 0 : platform::costOf(slot->first, slot->second.entry.value);
}

void MemoryStateStore::erase(Shard& shard, Slots::iterator slot)
{
    _usedBytes.fetch_sub(costOf(shard, slot), std::memory_order_relaxed);
    shard.slots.erase(slot);
}

void MemoryStateStore::dropExpired(Shard& shard, std::size_t most)
{
    const auto at = now();
    for (std::size_t dropped = 0; dropped < most && !shard.deadlines.empty() && shard.deadlines.top().expires <= at; ++dropped)
    {
        const auto slot = shard.slots.find(shard.deadlines.top().key);
        if (slot != shard.slots.end() && slot->second.expires <= at) erase(shard, slot);
        shard.deadlines.pop();
    }
}

void MemoryStateStore::scheduleExpiry(Shard& shard, std::string_view key, TimePoint expires)
{
    // A key that is written again and again leaves stale deadlines behind: rebuilt before they outnumber the entries.
    if (shard.deadlines.size() > 2 * shard.slots.size() + 64)
    {
        std::vector<Deadline> live;
        live.reserve(shard.slots.size());
        for (const auto& [name, slot] : shard.slots) live.push_back({slot.expires, name});
        shard.deadlines = decltype(shard.deadlines)(std::greater<>{}, std::move(live));
        return;
    }
    shard.deadlines.push({expires, std::string(key)});
}

} // namespace portico::host::platform
