#pragma once

#include "host/platform/state/KeyedMutex.h"

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace portico::host::platform
{

/// The short-lived values of one service, in memory. The host keeps one per service for its lifetime, so that reloads do not affect it.
/// Keys and values together may have `limitBytes` (with a flat charge for each entry). A write beyond it first drops expired entries, then
/// those of the largest use that would expire first. A use within an even share therefore loses nothing. Expiry follows the steady clock.
/// Thread-safe.
class MemoryStateStore final : public StateStore
{
public:
    static constexpr std::size_t defaultLimitBytes = std::size_t{64} << 20;
    /// Keys of further uses share one, so that a service whose keys begin with untrusted text does not make the store slow.
    static constexpr std::size_t maxUses = 64;

    explicit MemoryStateStore(const Clock& clock, std::size_t limitBytes = defaultLimitBytes) : _clock(clock), _limitBytes(limitBytes) {}

    std::optional<Entry> get(std::string_view key) override;
    /// This and the other writes: @throws Problem 503 `overloaded` when the store is full and the value is more than an even share.
    void put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive) override;
    bool compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                       std::chrono::milliseconds timeToLive) override;
    bool remove(std::string_view key) override;
    std::optional<std::string> take(std::string_view key) override;
    /// @throws std::invalid_argument if the key's value is not a number.
    std::int64_t add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive) override;
    /// Not reentrant: work that serializes on its own key again waits for itself until its timeout ends.
    void withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work) override;
    void limit(std::string_view use, std::uint64_t bytes) override;

    /// Drops what has expired; writes do so too, in passing. Called now and then by the host.
    void sweep();
    std::size_t usedBytes() const;
    std::size_t entryCount() const;

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    struct Use
    {
        /// Its keys by when they end, those that end together by version: the oldest first.
        std::map<std::pair<TimePoint, std::uint64_t>, const std::string*> ends;
        std::size_t bytes = 0;
    };
    using Uses = std::map<std::string, Use, std::less<>>;
    struct Slot
    {
        Entry entry;
        TimePoint expires;
        Uses::iterator use;
    };
    using Slots = std::unordered_map<std::string, Slot, Hash, std::equal_to<>>;

    TimePoint now() const noexcept { return _clock.steady(); }
    Slots::iterator findLive(std::string_view key);
    void write(std::string_view key, std::string_view value, TimePoint expires);
    Uses::iterator useOf(std::string_view key);
    void requireRoom(std::string_view key, std::size_t bytes);
    std::size_t limitOf(std::string_view use) const;
    void charge(Slots::iterator slot);
    void discharge(Slots::iterator slot);
    void erase(Slots::iterator slot);
    void evictOne(const std::string* kept);
    void evictOne(Use& use, const std::string* kept);
    std::size_t dropExpired(Uses::iterator use, std::size_t most);
    std::size_t dropExpired(std::size_t most);

    const Clock& _clock;
    const std::size_t _limitBytes;
    mutable std::mutex _mutex;
    Slots _slots;
    Uses _uses;
    /// By use.
    std::map<std::string, std::size_t, std::less<>> _limits;
    std::size_t _usedBytes = 0;
    std::uint64_t _lastVersion = 0;
    KeyedMutex _gates;
};

/// The numbers of `PluginContext::hostCounter`. Thread-safe.
class HostCounters
{
public:
    /// Valid as long as this.
    std::atomic<std::uint64_t>& operator[](std::string_view name)
    {
        const std::lock_guard lock(_mutex);
        const auto found = _numbers.find(name);
        return found == _numbers.end() ? _numbers.try_emplace(std::string(name), 0).first->second : found->second;
    }

private:
    std::mutex _mutex;
    std::map<std::string, std::atomic<std::uint64_t>, std::less<>> _numbers;
};

} // namespace portico::host::platform
