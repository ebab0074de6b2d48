#include "host/routing/idempotency/MemoryIdempotencyStore.h"

#include <utility>

namespace portico::host::routing
{

IdempotencyStore::Begin MemoryIdempotencyStore::begin(std::string_view key, std::string_view fingerprint, std::string_view owner,
                                                      Instant now)
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

void MemoryIdempotencyStore::complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now)
{
    const std::lock_guard lock(_mutex);
    const auto found = _records.find(key);
    if (found == _records.end() || found->second.owner != owner) return;
    found->second.sealedAnswer = sealedAnswer;
    found->second.expires = now + _times.answer;
}

void MemoryIdempotencyStore::abandon(std::string_view key, std::string_view owner)
{
    const std::lock_guard lock(_mutex);
    const auto found = _records.find(key);
    if (found != _records.end() && found->second.owner == owner && !found->second.sealedAnswer) _records.erase(found);
}

void MemoryIdempotencyStore::forgetExpired(Instant now)
{
    if (now < _nextSweep) return;
    _nextSweep = now + std::chrono::minutes(1);
    std::erase_if(_records, [now](const auto& entry) { return entry.second.expires <= now; });
}

} // namespace portico::host::routing
