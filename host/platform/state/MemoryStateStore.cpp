#include "host/platform/state/MemoryStateStore.h"

#include "host/base/Text.h"
#include "host/platform/state/StateEngine.h"

#include "portico/Problem.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

/// Memory of the nodes of both maps, without the texts.
constexpr std::size_t entryOverhead = 208;
/// Expired entries that one write removes: more than it adds, so that the store shrinks without sweeps.
constexpr std::size_t dropsPerWrite = 4;
/// Number dropped at a time, while other threads wait.
constexpr std::size_t dropsAtOnce = 1'000;
constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

std::size_t costOf(std::string_view key, std::string_view value) noexcept { return entryOverhead + key.size() + value.size(); }

std::int64_t counterValue(std::string_view key, const std::string& text)
{
    const auto number = parseNumber<std::int64_t>(text);
    if (!number) throw std::invalid_argument("state store: \"" + std::string(key) + "\" is not a counter");
    return *number;
}

std::int64_t saturatingSum(std::int64_t left, std::int64_t right) noexcept
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(left, right, &sum)) return sum;
    return right > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

} // namespace

std::optional<StateStore::Entry> MemoryStateStore::get(std::string_view key)
{
    const std::lock_guard lock(_mutex);
    const auto slot = findLive(key);
    if (slot == _slots.end()) return std::nullopt;
    return slot->second.entry;
}

void MemoryStateStore::put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive)
{
    const std::lock_guard lock(_mutex);
    write(key, value, now() + timeToLive);
}

bool MemoryStateStore::compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                                     std::chrono::milliseconds timeToLive)
{
    const std::lock_guard lock(_mutex);
    const auto live = findLive(key);
    const std::uint64_t version = live == _slots.end() ? 0 : live->second.entry.version;
    if (version != expectedVersion) return false;
    write(key, value, now() + timeToLive);
    return true;
}

bool MemoryStateStore::remove(std::string_view key) { return take(key).has_value(); }

std::optional<std::string> MemoryStateStore::take(std::string_view key)
{
    const std::lock_guard lock(_mutex);
    const auto slot = findLive(key);
    if (slot == _slots.end()) return std::nullopt;
    discharge(slot);
    auto value = std::move(slot->second.entry.value);
    _slots.erase(slot);
    return value;
}

std::int64_t MemoryStateStore::add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive)
{
    const std::lock_guard lock(_mutex);
    const auto live = findLive(key);
    const bool fresh = live == _slots.end();
    const auto sum = fresh ? amount : saturatingSum(counterValue(key, live->second.entry.value), amount);
    write(key, std::to_string(sum), fresh ? now() + timeToLive : live->second.expires);
    return sum;
}

void MemoryStateStore::withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work)
{
    if (!_gates.runAlone(key, timeout, work)) throw Problem::unavailable("overloaded", "The resource is locked by another request.", 1);
}

void MemoryStateStore::limit(std::string_view use, std::uint64_t bytes)
{
    const std::lock_guard lock(_mutex);
    if (bytes == 0)
    {
        if (const auto known = _limits.find(use); known != _limits.end()) _limits.erase(known);
        return;
    }
    _limits.insert_or_assign(std::string(use), static_cast<std::size_t>(std::min<std::uint64_t>(bytes, everything)));
    const auto found = _uses.find(use);
    while (found != _uses.end() && found->second.bytes > bytes) evictOne(found->second, nullptr);
}

std::size_t MemoryStateStore::limitOf(std::string_view use) const
{
    const auto found = _limits.find(use);
    return found == _limits.end() ? everything : found->second;
}

void MemoryStateStore::sweep()
{
    std::size_t dropped = dropsAtOnce;
    while (dropped == dropsAtOnce)
    {
        const std::lock_guard lock(_mutex);
        dropped = dropExpired(dropsAtOnce);
    }
}

std::size_t MemoryStateStore::usedBytes() const
{
    const std::lock_guard lock(_mutex);
    return _usedBytes;
}

std::size_t MemoryStateStore::entryCount() const
{
    const std::lock_guard lock(_mutex);
    return _slots.size();
}

MemoryStateStore::Slots::iterator MemoryStateStore::findLive(std::string_view key)
{
    const auto slot = _slots.find(key);
    return slot == _slots.end() || slot->second.expires <= now() ? _slots.end() : slot;
}

void MemoryStateStore::write(std::string_view key, std::string_view value, TimePoint expires)
{
    requireRoom(key, platform::costOf(key, value));
    auto slot = _slots.find(key);
    if (slot == _slots.end())
        slot = _slots.emplace(std::string(key), Slot{{}, expires, useOf(key)}).first;
    else
        discharge(slot);
    slot->second.entry.value.assign(value);
    slot->second.entry.version = ++_lastVersion;
    slot->second.expires = expires;
    charge(slot);
    auto& use = slot->second.use->second;
    for (const auto most = limitOf(slot->second.use->first); use.bytes > most;) evictOne(use, &slot->first);
    while (_usedBytes > _limitBytes) evictOne(&slot->first);
    dropExpired(slot->second.use, dropsPerWrite);
}

/// Drops what has expired; the rest can be evicted. Refused is only what would take room from uses that keep to their share.
void MemoryStateStore::requireRoom(std::string_view key, std::size_t bytes)
{
    const auto fits = [&]
    {
        const auto slot = _slots.find(key);
        const auto before = slot == _slots.end() ? 0 : platform::costOf(slot->first, slot->second.entry.value);
        return _usedBytes + bytes <= _limitBytes + before;
    };
    if (bytes > limitOf(useOfKey(key))) throw Problem::unavailable("overloaded", "The value exceeds the limit of its kind.", 5);
    if (fits()) return;
    dropExpired(everything);
    const auto uses = _uses.size() + (_uses.contains(useOfKey(key)) ? 0 : 1);
    if (bytes > _limitBytes / uses && !fits()) throw Problem::unavailable("overloaded", "The store of short-lived values is full.", 5);
}

MemoryStateStore::Uses::iterator MemoryStateStore::useOf(std::string_view key)
{
    const auto name = useOfKey(key);
    if (const auto known = _uses.find(name); known != _uses.end()) return known;
    const bool separate = _uses.size() < maxUses || _limits.contains(name);
    return _uses.try_emplace(std::string(separate ? name : std::string_view())).first;
}

void MemoryStateStore::charge(Slots::iterator slot)
{
    const auto bytes = platform::costOf(slot->first, slot->second.entry.value);
    slot->second.use->second.ends.emplace(std::pair(slot->second.expires, slot->second.entry.version), &slot->first);
    slot->second.use->second.bytes += bytes;
    _usedBytes += bytes;
}

void MemoryStateStore::discharge(Slots::iterator slot)
{
    const auto bytes = platform::costOf(slot->first, slot->second.entry.value);
    slot->second.use->second.ends.erase({slot->second.expires, slot->second.entry.version});
    slot->second.use->second.bytes -= bytes;
    _usedBytes -= bytes;
}

void MemoryStateStore::erase(Slots::iterator slot)
{
    discharge(slot);
    _slots.erase(slot);
}

/// The largest use has more than an even share, and what is kept has no more: so there is another entry to take.
void MemoryStateStore::evictOne(const std::string* kept)
{
    const auto smaller = [](const auto& left, const auto& right) { return left.second.bytes < right.second.bytes; };
    evictOne(std::ranges::max_element(_uses, smaller)->second, kept);
}

void MemoryStateStore::evictOne(Use& use, const std::string* kept)
{
    auto first = use.ends.begin();
    if (first->second == kept) ++first;
    erase(_slots.find(*first->second));
}

std::size_t MemoryStateStore::dropExpired(Uses::iterator use, std::size_t most)
{
    const auto at = now();
    auto& ends = use->second.ends;
    std::size_t dropped = 0;
    for (; dropped < most && !ends.empty() && ends.begin()->first.first <= at; ++dropped) erase(_slots.find(*ends.begin()->second));
    return dropped;
}

std::size_t MemoryStateStore::dropExpired(std::size_t most)
{
    std::size_t dropped = 0;
    for (auto use = _uses.begin(); use != _uses.end();)
    {
        dropped += dropExpired(use, most - dropped);
        use = use->second.ends.empty() ? _uses.erase(use) : std::next(use);
    }
    return dropped;
}

} // namespace portico::host::platform
