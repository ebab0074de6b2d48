#pragma once

#include "portico/Instant.h"

#include <chrono>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// How long records live.
struct IdempotencyTimes
{
    /// Of an answer.
    std::chrono::seconds answer{std::chrono::hours(24)};
    /// Of a running request, from its begin or the last sign of life of its host: afterwards it is taken over.
    std::chrono::seconds running{std::chrono::hours(1)};
    /// Longer than any request takes: no sign of life is given for one that began before.
    std::chrono::seconds longest{std::chrono::hours(1)};
};

/// Remembers which keyed requests run and what they answered. Keys, fingerprints and answers are KeyedRequest's: they tell nothing to who
/// reads the store. Thread-safe.
class IdempotencyStore
{
public:
    enum class Outcome
    {
        Started,   ///< the record is the caller's: `complete` or `abandon` follows
        Running,   ///< another request with this key has not ended
        Different, ///< the key belongs to another body
        Answered   ///< `sealedAnswer` is what the first request got
    };
    struct Begin
    {
        Outcome outcome = Outcome::Started;
        std::string sealedAnswer = {};
    };
    virtual ~IdempotencyStore() = default;
    /// `owner` tells this request from another that took the record over. @throws DatabaseError
    virtual Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) = 0;
    /// Durable when it returns. No effect when the record has another owner by now. @throws DatabaseError
    virtual void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) = 0;
    /// Frees the key. @throws DatabaseError
    virtual void abandon(std::string_view key, std::string_view owner) = 0;
};

} // namespace portico::host::routing
