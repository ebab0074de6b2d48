#pragma once

#include "portico/Export.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

/// Short-lived values that survive a plugin's reload: one-time challenges, slot reservations, counters. In memory, a restart of the host
/// deletes them. Each service has its own keys. Thread-safe; every operation is atomic.
///
/// Memory is limited per use. A use is the part of a key before its first colon (`logout-ticket:…`; keys without a colon share one use).
/// Choose one use per purpose, and a separate one for values that unauthenticated callers can create. When memory runs out, the use above
/// its share loses the values that expire first; other uses keep theirs, and no write fails. So a value may vanish early, as after a
/// restart: store in the database what must not be lost.
class PORTICO_API StateStore
{
public:
    struct Entry
    {
        std::string value;
        /// Changes with every write of the key.
        std::uint64_t version = 0;
    };
    virtual ~StateStore();

    virtual std::optional<Entry> get(std::string_view key) = 0;
    virtual void put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive) = 0;
    /// Writes only if the key is absent (expectedVersion 0) or has that version; false otherwise.
    virtual bool compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                               std::chrono::milliseconds timeToLive) = 0;
    virtual bool remove(std::string_view key) = 0;
    /// Removes and returns the value; of several concurrent callers only one gets it.
    virtual std::optional<std::string> take(std::string_view key) = 0;
    /// Adds to a counter and returns the new value; the time to live starts with the first addition.
    virtual std::int64_t add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive) = 0;
    /// Runs `work` while no other caller runs one for the same key. @throws Problem 503 `overloaded` when the wait takes longer than
    /// `timeout`.
    virtual void withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work) = 0;
    /// Limits the bytes of one use (keys, values and about 200 bytes for each entry), on all hosts together. When a write exceeds the
    /// limit, the use loses the values that expire first. Call it in `start`; 0 removes the limit. From then on, writing a single value
    /// above the limit throws Problem 503 `overloaded`.
    /// @param use part of the keys before their first colon
    virtual void limit(std::string_view use, std::uint64_t bytes) = 0;
};

} // namespace portico
