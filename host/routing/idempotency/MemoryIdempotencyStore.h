#pragma once

#include "host/routing/idempotency/IdempotencyStore.h"

#include <map>
#include <mutex>
#include <optional>

namespace portico::host::routing
{

/// Keeps records in memory: for tests and for a host without a database. A restart forgets them.
class MemoryIdempotencyStore final : public IdempotencyStore
{
public:
    explicit MemoryIdempotencyStore(IdempotencyTimes times = {}) : _times(times) {}
    Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) override;
    void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) override;
    void abandon(std::string_view key, std::string_view owner) override;

private:
    struct Record
    {
        std::string fingerprint;
        std::string owner;
        Instant expires;
        std::optional<std::string> sealedAnswer;
    };
    void forgetExpired(Instant now);

    IdempotencyTimes _times;
    std::mutex _mutex;
    std::map<std::string, Record, std::less<>> _records;
    Instant _nextSweep{};
};

} // namespace portico::host::routing
