#pragma once

#include "records/ApiKey.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// Obstacle to the removal of a scope: the number of active keys that have it.
struct ScopeUse
{
    std::string scope;
    std::int64_t keys = 0;
};

constexpr auto schemaOf(const ScopeUse*) { return describe(members<&ScopeUse::scope, &ScopeUse::keys>()); }

struct ScopesInUse
{
    std::vector<ScopeUse> scopes;
};

constexpr auto schemaOf(const ScopesInUse*) { return describe(field<&ScopesInUse::scopes>()); }

/// Keys with scopes that a manifest removes.
namespace scope_use
{
/// Returns the active keys that have one of the service's scopes.
std::vector<ApiKey> keysWith(Session& session, const std::string& serviceId, const std::vector<std::string>& scopes, Instant now);
ScopesInUse count(const std::vector<ApiKey>& keys, const std::string& serviceId, const std::vector<std::string>& scopes);
/// Removes the scopes from a key, and grants without remaining scopes.
void take(Transaction& transaction, ApiKey& key, const std::string& serviceId, const std::vector<std::string>& scopes, Instant now);
} // namespace scope_use

} // namespace portico::identity
