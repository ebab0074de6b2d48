#pragma once

#include "common/Changes.h"
#include "common/Networks.h"
#include "tokens/TokenCodec.h"

#include "portico/Caller.h"
#include "portico/Crypto.h"

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace portico::identity
{

/// What is remembered of a credential that was found good. The signature of a token does not change with the data, so its claims stay
/// until it expires; the caller counts only while nothing has changed since `revision`.
struct RememberedCredential
{
    std::shared_ptr<const Caller> caller;
    std::shared_ptr<const AccessClaims> claims;
    /// Of a key that may be used from some addresses only.
    std::shared_ptr<const AddressList> addresses;
    /// Of the organization in whose context the caller works, where its policy names networks.
    std::shared_ptr<const AddressList> organizationAddresses;
    /// That organization demands a second factor, and the sign-in has none.
    bool lacksFactor = false;
    CallerRevision revision;
    /// The moment at which the caller would be another one though no row changed: expiry, the end of a step-up or of an override.
    Instant callerUntil{};
    Instant expiresAt{};
};

/// What a credential is remembered by: never its text. The access rule is part of it, so that no answer serves another question.
struct CredentialKey
{
    Digest digest;
    std::string serviceId;
    CredentialKind kind = CredentialKind::None;
    bool requireAccess = true;
    bool operator==(const CredentialKey&) const = default;
};

/// Remembers credentials by the hash of their text. In shards with a lock each, so that workers rarely
/// meet. Bounded: only credentials that were good come in, and a full shard gives one up. Thread-safe.
class CallerCache
{
public:
    std::optional<RememberedCredential> find(const CredentialKey& key)
    {
        Shard& shard = shardOf(key);
        const std::scoped_lock lock(shard.mutex);
        const auto found = shard.entries.find(key);
        if (found == shard.entries.end()) return std::nullopt;
        return found->second;
    }

    void store(const CredentialKey& key, RememberedCredential remembered, Instant now)
    {
        Shard& shard = shardOf(key);
        const std::scoped_lock lock(shard.mutex);
        if (shard.entries.size() >= entriesPerShard) makeRoom(shard, now);
        shard.entries.insert_or_assign(key, std::move(remembered));
    }

private:
    static constexpr std::size_t shards = 32;
    static constexpr std::size_t entriesPerShard = 2048;

    /// Most of the key is a hash already.
    struct KeyHash
    {
        std::size_t operator()(const CredentialKey& key) const noexcept
        {
            std::size_t value = 0;
            std::memcpy(&value, key.digest.value.data(), sizeof value);
            return value;
        }
    };
    struct alignas(64) Shard
    {
        std::mutex mutex;
        std::unordered_map<CredentialKey, RememberedCredential, KeyHash> entries;
    };

    static void makeRoom(Shard& shard, Instant now)
    {
        std::erase_if(shard.entries, [now](const auto& entry) { return entry.second.expiresAt <= now; });
        if (shard.entries.size() >= entriesPerShard) shard.entries.erase(shard.entries.begin());
    }
    Shard& shardOf(const CredentialKey& key) { return _shards[static_cast<unsigned char>(key.digest.value.back()) % shards]; }

    std::array<Shard, shards> _shards;
};

} // namespace portico::identity
