#pragma once

#include "portico/Database.h"
#include "portico/Instant.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// How long records live.
struct IdempotencyTimes
{
    /// Lifetime of an answer.
    std::chrono::seconds answer{std::chrono::hours(24)};
    /// Lifetime of a running request's record, from its begin; longer than any request takes. If the host crashed, the request may have
    /// taken effect: its key is blocked as long, even after restarts.
    std::chrono::seconds running{std::chrono::hours(1)};

    /// Age of a request whose record would expire at `expires`.
    std::chrono::seconds age(Instant expires, Instant now) const
    {
        return std::chrono::duration_cast<std::chrono::seconds>(now + running - expires);
    }
};

/// Stores running keyed requests and their answers. Keys, fingerprints and answers are KeyedRequest's: the stored data reveals nothing.
/// Thread-safe.
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
        /// Since the first request began, where it has not ended.
        std::chrono::seconds age{};
    };
    virtual ~IdempotencyStore() = default;
    /// `owner` distinguishes this request from another that took over the record. @throws DatabaseError
    virtual Begin begin(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now) = 0;
    /// Durable when it returns. No effect when the record has another owner by now. @throws DatabaseError
    virtual void complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now) = 0;
    /// Frees the key. @throws DatabaseError
    virtual void abandon(std::string_view key, std::string_view owner) = 0;
};

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
