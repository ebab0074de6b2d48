#pragma once

#include "catalog/Catalog.h"
#include "keys/ApiKey.h"
#include "organizations/Organization.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// What a key may be, whoever makes it.
namespace key_rules
{
/// Every scope and resource type exists, each service is named once, and resources look like what they are said to be.
/// @throws Problem 400 `unknown_scope`, `unknown_resource_type`, `resource_not_found`, `validation_failed` with the places
void checkGrants(const Catalog& catalog, const std::vector<Grant>& grants);
/// Addresses are networks, and what is noted on the key is an object of reasonable size. @throws Problem 400 `validation_failed`
void checkDetails(const std::vector<std::string>& ipAllowList, const Json& metadata);
/// What the catalog still has of the grants: a scope that a manifest dropped is no part of a key any more.
std::vector<Grant> liveGrants(const Catalog& catalog, std::vector<Grant> grants);
/// @throws Problem 401 `invalid_token` (key_disabled, key_expired, key_revoked, workspace_suspended)
void requireUsable(const ApiKey& key, Instant now);
/// True if a scope of the grants is of high risk.
bool isHighRisk(const Catalog& catalog, const std::vector<Grant>& grants);
/// Whether every right of `narrow` is one of `wide`, too.
bool isNarrower(const std::vector<Grant>& narrow, const std::vector<Grant>& wide);
/// Whether neither the rate nor the burst of `slow` exceeds that of `fast`.
bool isSlower(const KeyRateLimit& slow, const KeyRateLimit& fast) noexcept;
} // namespace key_rules

} // namespace portico::identity
