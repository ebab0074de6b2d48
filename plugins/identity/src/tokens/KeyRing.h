#pragma once

#include "common/Changes.h"
#include "jose/Jwk.h"
#include "jose/KeySet.h"

#include "portico/Clock.h"
#include "portico/Crypto.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// The signing keys and MAC keys of this installation: rows, with a snapshot of them in memory. Thread-safe.
class KeyRing
{
public:
    KeyRing(Database& database, Changes& changes, const Clock& clock) : _database(database), _changes(changes), _clock(clock) {}

    /// Creates missing keys of a new installation (a current and a next signing key, and a MAC key), and reads the MAC keys. Must be called
    /// once, first.
    /// @param sealingKeys input of `Sealer::parse`, or empty
    /// @throws std::invalid_argument for invalid lines
    void prepare(std::string_view sealingKeys = {});
    std::shared_ptr<const KeySet> signingKeys(const DataRevision& revision);
    std::shared_ptr<const KeySet> signingKeys() { return signingKeys(_changes.current()); }

    /// Does the same with a key for ID tokens. The first call creates it, because that is slow and many installations never need one.
    std::shared_ptr<const KeySet> identityKeys();

    /// Returns every key whose signatures are or will be valid.
    JwkSet jwks();
    /// Rotates keys: the next ones sign from now on, the current ones verify for two more weeks, and new next ones are published.
    /// @throws Problem 409 `conflict` if the next ones were published less than five minutes ago, because clients may not know them yet
    void rotate();

    /// Id of the MAC key that new refresh families use.
    const std::string& newestMacKeyId() const noexcept { return _newestMacKeyId; }
    /// Its secret, without a lock: MAC keys stay as `prepare` read them. @throws std::out_of_range for an id that does not exist.
    const std::string& macKey(std::string_view id) const;

    /// Returns the sealer for secrets that must be readable. Seals with the operator's first key. Without one, uses a key in the database,
    /// which protects them no better than the database itself. Opens secrets sealed by either.
    const Sealer& sealer() const { return _sealer.value(); }

private:
    void readSealingKeys(std::string_view lines);
    static KeySet load(Session& session);
    void readMacKeys();

    Database& _database;
    Changes& _changes;
    const Clock& _clock;
    /// Guards the members below. Lock order: a session first, then this. Callers often hold a session, so no code may wait for one while
    /// holding this.
    std::mutex _mutex;
    std::shared_ptr<const KeySet> _keys;
    DataRevision _revision;
    std::map<std::string, std::string, std::less<>> _macKeys;
    std::string _newestMacKeyId;
    std::optional<Sealer> _sealer;
};

} // namespace portico::identity
