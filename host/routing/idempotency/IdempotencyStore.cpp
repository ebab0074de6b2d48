#include "host/routing/idempotency/IdempotencyStore.h"

namespace portico::host::routing
{

namespace
{

constexpr std::chrono::milliseconds sweepInterval = std::chrono::minutes(10);

} // namespace

IdempotencyStore::Begin DatabaseIdempotencyStore::begin(std::string_view key, std::string_view fingerprint, std::string_view owner,
                                                        Instant now)
{
    // Another request may free the record that blocked the claim before it is read. The key is then claimed again.
    for (int tries = 0; tries < 3; ++tries)
    {
        if (claim(key, fingerprint, owner, now)) return {};
        if (auto found = find(key, fingerprint, now)) return *std::move(found);
    }
    return {.outcome = Outcome::Running};
}

bool DatabaseIdempotencyStore::claim(std::string_view key, std::string_view fingerprint, std::string_view owner, Instant now)
{
    const bool sweep = timeToSweep(now);
    return _database.transact(
        [&](Transaction& transaction)
        {
            if (sweep) transaction.execute("DELETE FROM portico_idempotency WHERE expires_at <= $1", now);
            return transaction.execute("INSERT INTO portico_idempotency (id, fingerprint, owner, expires_at) VALUES ($1, $2, $3, $4) "
                                       "ON CONFLICT (id) DO UPDATE SET fingerprint = $2, owner = $3, expires_at = $4, answer = NULL "
                                       "WHERE portico_idempotency.expires_at <= $5",
                                       key, fingerprint, owner, now + _times.running, now) > 0;
        });
}

std::optional<IdempotencyStore::Begin> DatabaseIdempotencyStore::find(std::string_view key, std::string_view fingerprint, Instant now)
{
    auto session = _database.session();
    auto rows = session.query("SELECT fingerprint, answer, expires_at FROM portico_idempotency WHERE id = $1", key);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    if (row->text(0) != fingerprint) return Begin{.outcome = Outcome::Different};
    if (row->isNull(1)) return Begin{.outcome = Outcome::Running, .age = _times.age(row->get<Instant>(2), now)};
    return Begin{.outcome = Outcome::Answered, .sealedAnswer = row->get<Bytes>(1).data};
}

void DatabaseIdempotencyStore::complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now)
{
    const Bytes answer{std::string(sealedAnswer)};
    _database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute("UPDATE portico_idempotency SET expires_at = $3, answer = $4 WHERE id = $1 AND owner = $2", key, owner,
                                now + _times.answer, answer);
        });
}

void DatabaseIdempotencyStore::abandon(std::string_view key, std::string_view owner)
{
    _database.transact(
        [&](Transaction& transaction)
        { transaction.execute("DELETE FROM portico_idempotency WHERE id = $1 AND owner = $2 AND answer IS NULL", key, owner); });
}

/// One caller in ten minutes gets true.
bool DatabaseIdempotencyStore::timeToSweep(Instant now) noexcept
{
    auto next = _nextSweepMillis.load(std::memory_order_relaxed);
    return toMillis(now) >= next &&
           _nextSweepMillis.compare_exchange_strong(next, toMillis(now + sweepInterval), std::memory_order_relaxed);
}

} // namespace portico::host::routing
