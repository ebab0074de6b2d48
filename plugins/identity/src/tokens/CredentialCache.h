#pragma once

#include "portico/Caller.h"
#include "portico/Crypto.h"
#include "portico/Instant.h"

#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace portico::identity
{

/// Cache key of a credential: its digest, never its text. Includes the access rule, because answers differ by it.
struct CredentialKey
{
    Digest digest;
    std::string serviceId;
    CredentialKind kind = CredentialKind::None;
    bool requireAccess = true;
    bool ofOrganization = false;
    bool operator==(const CredentialKey&) const = default;
};

/// Caches validation results by the hash of the credential until `expiresAt`. Shards with separate locks reduce contention. Bounded: only
/// valid credentials are stored, and a full shard evicts one. Thread-safe.
template <class Remembered>
class CredentialCache
{
public:
    std::optional<Remembered> find(const CredentialKey& key)
    {
        Shard& shard = shardOf(key);
        const std::scoped_lock lock(shard.mutex);
        const auto found = shard.entries.find(key);
        if (found == shard.entries.end()) return std::nullopt;
        return found->second;
    }

    void store(const CredentialKey& key, Remembered remembered, Instant now)
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
        std::unordered_map<CredentialKey, Remembered, KeyHash> entries;
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
