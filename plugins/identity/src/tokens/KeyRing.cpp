#include "tokens/KeyRing.h"

#include "portico/Crypto.h"
#include "portico/Id.h"
#include "portico/Problem.h"

#include <stdexcept>

namespace portico::identity
{

namespace
{

constexpr auto publishedBefore = std::chrono::seconds(300);
constexpr auto verifiesStill = std::chrono::hours(24 * 14);

void insertKey(Session& session, const SigningKey& key, std::string_view state, Instant now)
{
    session.execute("INSERT INTO signing_keys (kid, algorithm, state, private_key, created_at, updated_at) "
                    "VALUES ($1, $2, $3, $4, $5, $5)",
                    key.thumbprint(), name(key.algorithm()), state, key.toPem(), now);
}

bool hasKey(Session& session, Algorithm algorithm, std::string_view state)
{
    return session.value<std::string>("SELECT kid FROM signing_keys WHERE algorithm = $1 AND state = $2 LIMIT 1", name(algorithm), state)
        .has_value();
}

} // namespace

void KeyRing::prepare(std::string_view sealingKeys)
{
    // Runs as a change, which serializes hosts that start on one database at the same time.
    _changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _clock.now();
            for (const auto* state : {"current", "next"})
                if (!hasKey(transaction, Algorithm::ES256, state)) insertKey(transaction, SigningKey::generate(), state, now);
            if (!transaction.value<std::string>("SELECT id FROM mac_keys LIMIT 1"))
                transaction.execute("INSERT INTO mac_keys (id, secret, created_at) VALUES ($1, $2, $3)", makeUlid(now), randomToken(), now);
        });
    readMacKeys();
    readSealingKeys(sealingKeys);
}

void KeyRing::readSealingKeys(std::string_view lines)
{
    std::string all(lines);
    for (const auto& [id, secret] : _macKeys)
        all += "\ndb-" + toBase64Url(sha256(id).bytes().substr(0, 12)) + ' ' + toBase64Url(hmacSha256(secret, "sealing").bytes());
    _sealer = Sealer::parse(all);
}

std::shared_ptr<const KeySet> KeyRing::identityKeys()
{
    auto keys = signingKeys();
    if (!keys->identityKid.empty()) return keys;
    // Generates RSA keys before the transaction, because that takes longer than other requests should wait.
    const auto current = SigningKey::generate(Algorithm::RS256);
    const auto next = SigningKey::generate(Algorithm::RS256);
    _changes.run(
        [&](Transaction& transaction)
        {
            if (hasKey(transaction, Algorithm::RS256, "current")) return;
            insertKey(transaction, current, "current", _clock.now());
            insertKey(transaction, next, "next", _clock.now());
        });
    return signingKeys();
}

KeySet KeyRing::load(Session& session)
{
    KeySet set;
    for (Row row : session.query("SELECT kid, state, private_key FROM signing_keys"))
    {
        auto kid = row.get<std::string>(0);
        auto key = SigningKey::fromPem(row.text(2));
        if (row.text(1) == "current") (key.algorithm() == Algorithm::ES256 ? set.currentKid : set.identityKid) = kid;
        set.keys.emplace(std::move(kid), std::move(key));
    }
    if (set.currentKid.empty())
        throw std::runtime_error("table signing_keys has no row with state 'current': one is made when identity starts");
    return set;
}

std::shared_ptr<const KeySet> KeyRing::signingKeys(const DataRevision& revision)
{
    std::shared_ptr<const KeySet> keys;
    {
        const std::scoped_lock lock(_mutex);
        if (_keys && _revision == revision) return _keys;
        keys = _keys;
    }
    auto session = _database.session();
    // Parsing keys is dear: only when the rows are others than those in memory.
    const auto current = session.value<std::string>("SELECT kid FROM signing_keys WHERE state = 'current' AND algorithm = 'ES256'");
    const auto count = session.value<std::int64_t>("SELECT COUNT(*) FROM signing_keys");
    if (!keys || current != keys->currentKid || count != static_cast<std::int64_t>(keys->keys.size()))
        keys = std::make_shared<const KeySet>(load(session));
    const std::scoped_lock lock(_mutex);
    _keys = keys;
    _revision = revision;
    return keys;
}

JwkSet KeyRing::jwks()
{
    const auto keys = identityKeys();
    JwkSet published;
    for (const auto& [kid, key] : keys->keys) published.keys.push_back(key.publicJwk());
    return published;
}

void KeyRing::rotate()
{
    std::vector<SigningKey> fresh = {SigningKey::generate()};
    if (!signingKeys()->identityKid.empty()) fresh.push_back(SigningKey::generate(Algorithm::RS256));
    _changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _clock.now();
            if (transaction.value<std::int64_t>("SELECT 1 FROM signing_keys WHERE state = 'next' AND created_at > $1",
                                                now - publishedBefore))
                throw Problem::conflict("conflict",
                                        "The next keys were published less than five minutes ago: not everybody knows them yet.");
            transaction.execute("DELETE FROM signing_keys WHERE state = 'previous' AND updated_at < $1", now - verifiesStill);
            transaction.execute("UPDATE signing_keys SET state = 'previous', updated_at = $1 WHERE state = 'current'", now);
            transaction.execute("UPDATE signing_keys SET state = 'current', updated_at = $1 WHERE state = 'next'", now);
            for (const auto& key : fresh) insertKey(transaction, key, "next", now);
        });
}

void KeyRing::readMacKeys()
{
    auto session = _database.session();
    for (Row row : session.query("SELECT id, secret FROM mac_keys ORDER BY created_at, id"))
    {
        _newestMacKeyId = row.get<std::string>(0);
        // Text in the database, so that one migration serves both engines.
        const auto secret = fromBase64Url(row.text(1));
        if (!secret || secret->empty()) throw std::runtime_error("table mac_keys: the secret of " + _newestMacKeyId + " is not base64url");
        _macKeys.insert_or_assign(_newestMacKeyId, *secret);
    }
}

const std::string& KeyRing::macKey(std::string_view id) const
{
    const auto known = _macKeys.find(id);
    if (known == _macKeys.end()) throw std::out_of_range("no such MAC key");
    return known->second;
}

} // namespace portico::identity
