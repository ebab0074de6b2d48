#include "host/routing/DatabaseIdempotencyStore.h"

namespace portico::host::routing
{

namespace
{

constexpr std::chrono::milliseconds sweepInterval = std::chrono::minutes(10);

} // namespace

IdempotencyStore::Begin DatabaseIdempotencyStore::begin(std::string_view key, std::string_view fingerprint, std::string_view owner,
                                                        Instant now)
{
    // A record that stands in the way may be freed before it is read: then the key is claimed again.
    for (int tries = 0; tries < 3; ++tries)
    {
        if (claim(key, fingerprint, owner, now))
        {
            const std::lock_guard lock(_mutex);
            _running.insert_or_assign(std::string(owner), Running{std::string(key), now, now});
            return {Outcome::Started, {}};
        }
        if (auto found = find(key, fingerprint)) return *std::move(found);
    }
    return {Outcome::Running, {}};
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

std::optional<IdempotencyStore::Begin> DatabaseIdempotencyStore::find(std::string_view key, std::string_view fingerprint)
{
    auto session = _database.session();
    auto rows = session.query("SELECT fingerprint, answer FROM portico_idempotency WHERE id = $1", key);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    if (row->text(0) != fingerprint) return Begin{Outcome::Different, {}};
    if (row->isNull(1)) return Begin{Outcome::Running, {}};
    return Begin{Outcome::Answered, row->get<Bytes>(1).data};
}

void DatabaseIdempotencyStore::complete(std::string_view key, std::string_view owner, std::string_view sealedAnswer, Instant now)
{
    forget(owner);
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
    forget(owner);
    _database.transact(
        [&](Transaction& transaction)
        { transaction.execute("DELETE FROM portico_idempotency WHERE id = $1 AND owner = $2 AND answer IS NULL", key, owner); });
}

void DatabaseIdempotencyStore::renew(Instant now)
{
    const auto due = dueForRenewal(now);
    if (due.empty()) return;
    _database.transact(
        [&](Transaction& transaction)
        {
            for (const auto& [owner, key] : due)
                transaction.execute("UPDATE portico_idempotency SET expires_at = $3 WHERE id = $1 AND owner = $2 AND answer IS NULL", key,
                                    owner, now + _times.running);
        });
    const std::lock_guard lock(_mutex);
    for (const auto& [owner, key] : due)
        if (const auto found = _running.find(owner); found != _running.end()) found->second.renewed = now;
}

void DatabaseIdempotencyStore::releaseAll()
{
    _database.transact([](Transaction& transaction) { transaction.execute("DELETE FROM portico_idempotency WHERE answer IS NULL"); });
}

void DatabaseIdempotencyStore::forget(std::string_view owner)
{
    const std::lock_guard lock(_mutex);
    if (const auto found = _running.find(owner); found != _running.end()) _running.erase(found);
}

std::vector<std::pair<std::string, std::string>> DatabaseIdempotencyStore::dueForRenewal(Instant now)
{
    const std::lock_guard lock(_mutex);
    std::erase_if(_running, [&](const auto& entry) { return entry.second.begun + _times.longest <= now; });
    std::vector<std::pair<std::string, std::string>> due;
    // Most requests have ended long before their first renewal.
    for (const auto& [owner, running] : _running)
        if (running.renewed + _times.running / 4 <= now) due.emplace_back(owner, running.key);
    return due;
}

/// One caller in ten minutes gets true.
bool DatabaseIdempotencyStore::timeToSweep(Instant now) noexcept
{
    auto next = _nextSweepMillis.load(std::memory_order_relaxed);
    return toMillis(now) >= next &&
           _nextSweepMillis.compare_exchange_strong(next, toMillis(now + sweepInterval), std::memory_order_relaxed);
}

} // namespace portico::host::routing
