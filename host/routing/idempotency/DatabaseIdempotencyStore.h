#pragma once

#include "host/routing/idempotency/IdempotencyStore.h"

#include "portico/Database.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace portico::host::routing
{

/// Keeps records in the host's database (migrations/host), so that they hold over restarts and between hosts. Thread-safe.
class DatabaseIdempotencyStore final : public IdempotencyStore
{
public:
    explicit DatabaseIdempotencyStore(Database& database, IdempotencyTimes times = {}) : _database(database), _times(times) {}
    Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) override;
    void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) override;
    void abandon(std::string_view key, std::string_view owner) override;

private:
    bool claim(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now);
    std::optional<Begin> find(std::string_view key, std::string_view fingerprint, Instant now);
    bool timeToSweep(Instant now) noexcept;

    Database& _database;
    IdempotencyTimes _times;
    std::atomic<std::int64_t> _nextSweepMillis{0};
};

} // namespace portico::host::routing
