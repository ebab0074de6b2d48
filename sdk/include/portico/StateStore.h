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

/// Short-lived values that outlive a plugin's reload: one-time challenges, slot holds, counters. In memory a restart of the host ends them.
/// Keys are the service's own: two services never see each other's. Thread-safe; every operation is atomic.
///
/// Room is kept by use. A use is what keys of a service have before their first colon (`logout-ticket:…`; keys without one are a use as
/// well): name one for each thing that is kept, and one of its own for what strangers can make many of. When room runs out, the use that
/// has more than its share loses what would end first; the others lose nothing, and nobody is refused. So a value may be gone before its
/// time, as after a restart: what must not be lost is in the database.
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
    /// Takes the value out: of several callers one gets it.
    virtual std::optional<std::string> take(std::string_view key) = 0;
    /// Adds to a counter and returns the new value; the time to live starts with the first addition.
    virtual std::int64_t add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive) = 0;
    /// Runs `work` while no other caller runs one for the same key. @throws Problem 503 `overloaded` when the wait takes longer than
    /// `timeout`.
    virtual void withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work) = 0;
};

} // namespace portico
