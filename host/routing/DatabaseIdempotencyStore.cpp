#include "host/routing/DatabaseIdempotencyStore.h"

#include "host/routing/Decoding.h"

#include <openssl/evp.h>

namespace portico::host::routing
{

namespace
{

constexpr std::chrono::milliseconds sweepInterval = std::chrono::minutes(10);

std::string encode(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const auto* input = reinterpret_cast<const unsigned char*>(bytes.data());
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), input, static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::string decode(std::string_view text)
{
    std::string bytes(text.size() / 4 * 3, '\0');
    const auto* input = reinterpret_cast<const unsigned char*>(text.data());
    const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), input, static_cast<int>(text.size()));
    if (length < 0) return {};
    // OpenSSL counts what the padding stands for as bytes.
    const auto padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

} // namespace

IdempotencyStore::Begin DatabaseIdempotencyStore::begin(std::string_view key, std::string_view fingerprint, std::string_view owner,
                                                        Instant now)
{
    // A record that stands in the way may be freed before it is read: then the key is claimed again.
    for (int tries = 0; tries < 3; ++tries)
    {
        if (claim(key, fingerprint, owner, now)) return {Outcome::Started, {}};
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
            return transaction.execute(
                       "INSERT INTO portico_idempotency (id, fingerprint, owner, expires_at) VALUES ($1, $2, $3, $4) "
                       "ON CONFLICT (id) DO UPDATE SET fingerprint = $2, owner = $3, expires_at = $4, status = NULL, content_type = NULL, "
                       "cache_control = NULL, etag = NULL, headers = NULL, body = NULL, body_encoded = NULL "
                       "WHERE portico_idempotency.expires_at <= $5",
                       key, fingerprint, owner, now + _times.running, now) > 0;
        });
}

std::optional<IdempotencyStore::Begin> DatabaseIdempotencyStore::find(std::string_view key, std::string_view fingerprint)
{
    auto session = _database.session();
    auto rows = session.query("SELECT fingerprint, status, content_type, cache_control, etag, headers, body, body_encoded "
                              "FROM portico_idempotency WHERE id = $1",
                              key);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    if (row->text(0) != fingerprint) return Begin{Outcome::Different, {}};
    if (row->isNull(1)) return Begin{Outcome::Running, {}};
    StoredAnswer answer;
    answer.status = row->get<int>(1);
    answer.contentType = row->get<std::string>(2);
    answer.cacheControl = row->get<std::string>(3);
    answer.etag = row->get<std::string>(4);
    answer.headers = row->get<std::string>(5);
    answer.body = row->get<int>(7) != 0 ? decode(row->text(6)) : row->get<std::string>(6);
    return Begin{Outcome::Answered, std::move(answer)};
}

void DatabaseIdempotencyStore::complete(std::string_view key, std::string_view owner, const StoredAnswer& answer, Instant now)
{
    const bool isText = isPlainUtf8(answer.body);
    const std::string body = isText ? answer.body : encode(answer.body);
    _database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute(
                "UPDATE portico_idempotency SET expires_at = $3, status = $4, content_type = $5, cache_control = $6, etag = $7, "
                "headers = $8, body = $9, body_encoded = $10 WHERE id = $1 AND owner = $2",
                key, owner, now + _times.answer, answer.status, answer.contentType, answer.cacheControl, answer.etag, answer.headers, body,
                isText ? 0 : 1);
        });
}

void DatabaseIdempotencyStore::abandon(std::string_view key, std::string_view owner)
{
    _database.transact(
        [&](Transaction& transaction)
        { transaction.execute("DELETE FROM portico_idempotency WHERE id = $1 AND owner = $2 AND status IS NULL", key, owner); });
}

/// One caller in ten minutes gets true.
bool DatabaseIdempotencyStore::timeToSweep(Instant now) noexcept
{
    auto next = _nextSweepMillis.load(std::memory_order_relaxed);
    return toMillis(now) >= next &&
           _nextSweepMillis.compare_exchange_strong(next, toMillis(now + sweepInterval), std::memory_order_relaxed);
}

} // namespace portico::host::routing
