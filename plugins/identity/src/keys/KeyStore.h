#pragma once

#include "keys/ApiKey.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Rows of API keys.
namespace api_keys
{
void insert(Session& session, const ApiKey& key);
std::optional<ApiKey> find(Session& session, std::string_view id);
std::optional<ApiKey> findByKeyId(Session& session, std::string_view keyId);
/// With when and how often they were used.
std::vector<ApiKey> ofOwners(Session& session, const std::vector<std::string>& ownerIds, Instant now);
/// Keys of an owner that can still be used.
std::int64_t countLive(Session& session, std::string_view ownerId, Instant now);
/// Writes what may change of a key. @throws Problem 412 when the row is no longer at `key.version`; leaves `key` with the next one.
void update(Session& session, ApiKey& key, Instant now);
/// Fills in when and how often a key was used.
void addUses(Session& session, ApiKey& key, Instant now);
} // namespace api_keys

} // namespace portico::identity
