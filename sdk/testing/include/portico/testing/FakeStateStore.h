#pragma once

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <cstddef>
#include <memory>

namespace portico::host::platform
{
class MemoryStateStore;
}

namespace portico::testing
{

/// The host's own store of short-lived values, on the test's clock: what expires is decided by FakeClock. Thread-safe.
class PORTICO_API FakeStateStore final : public StateStore
{
public:
    /// The clock outlives it.
    explicit FakeStateStore(const Clock& clock);
    /// A store that is full when keys and values have this many bytes.
    FakeStateStore(const Clock& clock, std::size_t limitBytes);
    ~FakeStateStore() override;

    std::optional<Entry> get(std::string_view key) override;
    void put(std::string_view key, std::string_view value, std::chrono::milliseconds timeToLive) override;
    bool compareAndSet(std::string_view key, std::uint64_t expectedVersion, std::string_view value,
                       std::chrono::milliseconds timeToLive) override;
    bool remove(std::string_view key) override;
    std::optional<std::string> take(std::string_view key) override;
    std::int64_t add(std::string_view key, std::int64_t amount, std::chrono::milliseconds timeToLive) override;
    void withLock(std::string_view key, std::chrono::milliseconds timeout, const std::function<void()>& work) override;
    void limit(std::string_view use, std::uint64_t bytes) override;

    /// Number of entries, and the memory that they use.
    std::size_t entryCount() const;
    std::size_t usedBytes() const;

private:
    const std::unique_ptr<host::platform::MemoryStateStore> _store;
};

} // namespace portico::testing
