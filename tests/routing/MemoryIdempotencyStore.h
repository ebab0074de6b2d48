#pragma once

#include "host/routing/idempotency/IdempotencyStore.h"

#include <map>
#include <mutex>
#include <optional>

namespace routing_tests
{

using namespace portico;
using namespace portico::host::routing;

/// Keeps records in memory. Thread-safe.
class MemoryIdempotencyStore final : public IdempotencyStore
{
public:
    explicit MemoryIdempotencyStore(IdempotencyTimes times = {}) : _times(times) {}
    Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) override
    {
        const std::lock_guard lock(_mutex);
        forgetExpired(now);
        auto found = _records.find(key);
        if (found == _records.end() || found->second.expires <= now)
        {
            _records.insert_or_assign(std::string(key),
                                      Record{std::string(fingerprint), std::string(owner), now + _times.running, std::nullopt});
            return {};
        }
        const Record& record = found->second;
        if (record.fingerprint != fingerprint) return {.outcome = Outcome::Different};
        if (!record.sealedAnswer) return {.outcome = Outcome::Running, .age = _times.age(record.expires, now)};
        return {.outcome = Outcome::Answered, .sealedAnswer = *record.sealedAnswer};
    }
    void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) override
    {
        const std::lock_guard lock(_mutex);
        const auto found = _records.find(key);
        if (found == _records.end() || found->second.owner != owner) return;
        found->second.sealedAnswer = sealedAnswer;
        found->second.expires = now + _times.answer;
    }
    void abandon(std::string_view key, std::string_view owner) override
    {
        const std::lock_guard lock(_mutex);
        const auto found = _records.find(key);
        if (found != _records.end() && found->second.owner == owner && !found->second.sealedAnswer) _records.erase(found);
    }

private:
    struct Record
    {
        std::string fingerprint;
        std::string owner;
        Instant expires;
        std::optional<std::string> sealedAnswer;
    };
    void forgetExpired(Instant now)
    {
        if (now < _nextSweep) return;
        _nextSweep = now + std::chrono::minutes(1);
        std::erase_if(_records, [now](const auto& entry) { return entry.second.expires <= now; });
    }

    IdempotencyTimes _times;
    std::mutex _mutex;
    std::map<std::string, Record, std::less<>> _records;
    Instant _nextSweep{};
};

} // namespace routing_tests
