#pragma once

#include "host/platform/KeyGates.h"
#include "host/platform/Revisions.h"

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace portico::host::platform
{

/// The short-lived values of one service, in memory. The host keeps one for each service for its whole life, so that reloads do not touch
/// it. Keys and values together may take `limitBytes` (with a flat charge for each entry); a write beyond it first drops what has expired,
/// then is refused with Problem 503 `overloaded`: nothing that has not expired is ever evicted, because a lost slot hold or challenge is
/// worse than a refusal. Expiry follows the steady clock. Thread-safe.
class MemoryStateStore final : public StateStore
{
public:
    static constexpr std::size_t defaultLimitBytes = std::size_t{64} << 20;

    explicit MemoryStateStore(const Clock& clock, std::size_t limitBytes = defaultLimitBytes);
    ~MemoryStateStore() override;

    std::optional<Entry> get(std::string_view key) override;
    void put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive) override;
    bool compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                       std::chrono::milliseconds timeToLive) override;
    bool remove(std::string_view key) override;
    std::optional<std::string> take(std::string_view key) override;
    /// @throws std::invalid_argument when the key holds something that is not a number.
    std::int64_t add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive) override;
    /// Not reentrant: work that serializes on its own key again waits for itself until its patience ends.
    void serialize(std::string_view key, std::chrono::milliseconds patience, const std::function<void()>& work) override;
    std::atomic<std::uint64_t>& revision(std::string_view name) override;

    /// Drops what has expired; writes do so too, in passing. Called now and then by the host.
    void sweep();
    std::size_t usedBytes() const noexcept { return _usedBytes.load(std::memory_order_relaxed); }
    std::size_t entryCount() const;

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    struct Hash
    {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
    };
    struct Slot
    {
        Entry entry;
        TimePoint expires;
    };
    using Slots = std::unordered_map<std::string, Slot, Hash, std::equal_to<>>;
    /// When a key is due to expire. May be stale: the slot says when it really is.
    struct Deadline
    {
        TimePoint expires;
        std::string key;
        bool operator>(const Deadline& other) const noexcept { return expires > other.expires; }
    };
    struct Shard
    {
        mutable std::mutex mutex;
        Slots slots;
        std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines;
    };
    static constexpr std::size_t shardCount = 16;

    Shard& shardOf(std::string_view key) noexcept { return _shards[Hash{}(key) % shardCount]; }
    TimePoint now() const noexcept { return _clock.steady(); }
    Slots::iterator findLive(Shard& shard, std::string_view key) const;
    void write(Shard& shard, std::string_view key, std::string_view value, TimePoint expires);
    static std::size_t costOf(const Shard& shard, Slots::const_iterator slot);
    void erase(Shard& shard, Slots::iterator slot);
    void dropExpired(Shard& shard, std::size_t most);
    void scheduleExpiry(Shard& shard, std::string_view key, TimePoint expires);

    const Clock& _clock;
    const std::size_t _limitBytes;
    std::array<Shard, shardCount> _shards;
    std::atomic<std::size_t> _usedBytes{0};
    std::atomic<std::uint64_t> _lastVersion{0};
    KeyGates _gates;
    Revisions _revisions;
};

} // namespace portico::host::platform
