#pragma once

#include "common/Core.h"
#include "credentials/CallerCache.h"

#include "portico/system/Credentials.h"

#include <optional>
#include <string_view>

namespace portico::identity
{

/// The secret of a client with the scope `scim` as the bearer token of SCIM (RFC 6750, 2.1): Okta, OneLogin and JumpCloud cannot ask for
/// access tokens and hold one secret for years. It opens SCIM and nothing else, until it is rotated or the client is removed. Clients that
/// are registered for more than a secret (keys, DPoP) have no such way. Thread-safe.
namespace directory_secret
{
/// Whether a credential may be one: opaque, where access tokens have dots, on the routes of directories.
bool isMeant(const interfaces::Credential& credential);

/// The client that holds the secret, as of one snapshot, with a note of its use. Empty: it is none, or none any more.
/// @param common where the data that belongs to nobody stood when the question was asked
/// @throws Problem 401 `invalid_token` (workspace_suspended), 403 `service_access_denied`
std::optional<RememberedCredential> find(Core& core, std::string_view secret, Instant now, const DataRevision& common);
} // namespace directory_secret

} // namespace portico::identity
