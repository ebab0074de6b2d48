#pragma once

#include "host/routing/IdempotencyStore.h"

#include "portico/Database.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::routing
{

/// Keeps records in the host's database (migrations/host), so that they hold over restarts and between hosts. A record of a running request
/// is a lease, which the host renews: a client that repeats what a host died with does not wait for long. Thread-safe.
class DatabaseIdempotencyStore final : public IdempotencyStore
{
public:
    explicit DatabaseIdempotencyStore(Database& database, IdempotencyTimes times = {}) : _database(database), _times(times) {}
    Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) override;
    void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) override;
    void abandon(std::string_view key, std::string_view owner) override;

    /// Gives a sign of life for the requests that run here. Called at least three times within `IdempotencyTimes::running`.
    /// @throws DatabaseError
    void renew(Instant now);
    /// Frees the keys of all requests that have not ended: for the only host of a database, before it serves. @throws DatabaseError
    void releaseAll();

private:
    struct Running
    {
        std::string key;
        Instant begun;
        Instant renewed;
    };

    void forget(std::string_view owner);
    /// Key by owner, of those that are due.
    std::vector<std::pair<std::string, std::string>> dueForRenewal(Instant now);
    bool claim(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now);
    std::optional<Begin> find(std::string_view key, std::string_view fingerprint);
    bool timeToSweep(Instant now) noexcept;

    Database& _database;
    IdempotencyTimes _times;
    std::atomic<std::int64_t> _nextSweepMillis{0};
    std::mutex _mutex;
    /// By owner.
    std::map<std::string, Running, std::less<>> _running;
};

} // namespace portico::host::routing
