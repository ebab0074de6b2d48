#pragma once

#include "common/Changes.h"
#include "tokens/TokenCodec.h"

#include "portico/Clock.h"
#include "portico/Crypto.h"
#include "portico/Schema.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// A public key as JSON (RFC 7517), of the one kind that we sign with.
struct Jwk
{
    std::string kty = "EC";
    std::string crv = "P-256";
    std::string use = "sig";
    std::string alg = "ES256";
    std::string kid;
    std::string x;
    std::string y;
};

constexpr auto schemaOf(const Jwk*)
{
    return describe(field("kty", &Jwk::kty), field("crv", &Jwk::crv), field("use", &Jwk::use), field("alg", &Jwk::alg),
                    field("kid", &Jwk::kid), field("x", &Jwk::x), field("y", &Jwk::y));
}

struct JwkSet
{
    std::vector<Jwk> keys;
};

constexpr auto schemaOf(const JwkSet*) { return describe(field("keys", &JwkSet::keys)); }

/// The signing keys and MAC keys of this installation: rows, with a snapshot of them in memory. Thread-safe.
class KeyRing
{
public:
    KeyRing(Database& database, Changes& changes, const Clock& clock) : _database(database), _changes(changes), _clock(clock) {}

    /// Makes what a new installation lacks (a current and a next signing key, and a MAC key) and reads the MAC keys. Called once, first.
    /// @param sealingKeys what `Sealer::parse` reads, or empty. @throws std::invalid_argument for lines that are no keys
    void prepare(std::string_view sealingKeys = {});
    std::shared_ptr<const KeySet> signingKeys(const DataRevision& revision);
    std::shared_ptr<const KeySet> signingKeys() { return signingKeys(_changes.current()); }

    /// Every key whose signatures count or will count.
    JwkSet jwks();
    /// The next key signs from now on, the current one still verifies, and a new next one is published.
    void rotate();

    /// Id of the MAC key that new refresh families use.
    const std::string& newestMacKeyId() const noexcept { return _newestMacKeyId; }
    /// Its secret, without a lock: MAC keys stay as `prepare` read them. @throws std::out_of_range for an id that does not exist.
    const std::string& macKey(std::string_view id) const;

    /// For secrets that have to be read again: seals with the first of the operator's keys, or without any with one of this database, which
    /// guards them as well as the database is guarded; what either has sealed opens.
    const Sealer& sealer() const { return _sealer.value(); }

private:
    void readSealingKeys(std::string_view lines);
    static KeySet load(Session& session);
    void readMacKeys();

    Database& _database;
    Changes& _changes;
    const Clock& _clock;
    /// Guards the two below. The order is first a session, then this: many who come here hold one, so nobody waits for one under it.
    std::mutex _mutex;
    std::shared_ptr<const KeySet> _keys;
    DataRevision _revision;
    std::map<std::string, std::string, std::less<>> _macKeys;
    std::string _newestMacKeyId;
    std::optional<Sealer> _sealer;
};

} // namespace portico::identity
