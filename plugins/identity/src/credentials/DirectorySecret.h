#pragma once

#include "common/Core.h"
#include "credentials/CallerCache.h"

#include "portico/system/Credentials.h"

#include <optional>
#include <string_view>

namespace portico::identity
{

/// Accepts the secret of a client with the scope `scim` as a bearer token of SCIM (RFC 6750, 2.1). Okta, OneLogin and JumpCloud need this:
/// they cannot request access tokens. The secret opens only SCIM, until it is rotated or the client is removed. Clients with keys or DPoP
/// are excluded. Thread-safe.
namespace directory_secret
{
/// Returns true if a credential may be such a secret: opaque, without the dots of access tokens, and on the routes of directories.
bool isMeant(const interfaces::Credential& credential);

/// Returns the client that has the secret, as of one snapshot, and records its use. Returns none if the secret is unknown or revoked.
/// @param common revision of common data at the start of the request
/// @throws Problem 401 `invalid_token` (workspace_suspended), 403 `service_access_denied`
std::optional<RememberedCredential> find(Core& core, std::string_view secret, Instant now, const DataRevision& common);
} // namespace directory_secret

} // namespace portico::identity
