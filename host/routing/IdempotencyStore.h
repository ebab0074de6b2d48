#pragma once

#include "portico/Instant.h"

#include <chrono>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// An answer as it is kept for replay: what the handler gave, without the headers that the host adds to every response.
struct StoredAnswer
{
    int status = 200;
    std::string contentType;
    std::string cacheControl;
    std::string etag;
    /// `Name: value\r\n` each.
    std::string headers;
    std::string body;
};

/// How long records live.
struct IdempotencyTimes
{
    /// Of an answer.
    std::chrono::seconds answer{std::chrono::hours(24)};
    /// Of a running request: longer than any request takes, so that only those of a host that died are taken over.
    std::chrono::seconds running{120};
};

/// Remembers which keyed requests run and what they answered. Keys are digests of caller, path and Idempotency-Key. Thread-safe.
class IdempotencyStore
{
public:
    enum class Outcome
    {
        Started,   ///< the record is the caller's: `complete` or `abandon` follows
        Running,   ///< another request with this key has not ended
        Different, ///< the key belongs to another body
        Answered   ///< `answer` is what the first request got
    };
    struct Begin
    {
        Outcome outcome = Outcome::Started;
        StoredAnswer answer;
    };
    virtual ~IdempotencyStore() = default;
    /// `owner` tells this request from another that took the record over. @throws DatabaseError
    virtual Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) = 0;
    /// Durable when it returns. No effect when the record has another owner by now. @throws DatabaseError
    virtual void complete(std::string_view key, std::string_view owner, const StoredAnswer& answer, Instant now) = 0;
    /// Frees the key. @throws DatabaseError
    virtual void abandon(std::string_view key, std::string_view owner) = 0;
};

} // namespace portico::host::routing
