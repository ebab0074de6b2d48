#pragma once

#include "records/ApiKey.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// What stands in the way of removing scopes: how many live keys hold each.
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

/// Keys and the scopes of services that a manifest drops.
namespace scope_use
{
/// Live keys that hold one of the scopes of the service.
std::vector<ApiKey> keysWith(Session& session, const std::string& serviceId, const std::vector<std::string>& scopes, Instant now);
ScopesInUse count(const std::vector<ApiKey>& keys, const std::string& serviceId, const std::vector<std::string>& scopes);
/// Takes the scopes from a key; a grant without scopes goes with them.
void take(Transaction& transaction, ApiKey& key, const std::string& serviceId, const std::vector<std::string>& scopes, Instant now);
} // namespace scope_use

} // namespace portico::identity
