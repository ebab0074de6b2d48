#pragma once

#include "catalog/Catalog.h"
#include "credentials/CallerCache.h"
#include "keys/ApiKey.h"
#include "permissions/AccessStore.h"

#include "portico/Database.h"

#include <string_view>

namespace portico::identity
{

/// Judges a genuine API key by the rows of one snapshot. Made for one judgement.
class KeyJudge
{
public:
    KeyJudge(Session& session, const Catalog& catalog, Instant now) : _session(session), _catalog(catalog), _now(now) {}

    /// A key without a grant in the service comes back with no scopes. Addresses are for the caller to compare, as they differ by request.
    /// @throws Problem 401 `invalid_token` (key_disabled, key_expired, key_revoked, workspace_suspended, user_suspended),
    /// 403 `service_access_denied`
    RememberedCredential judge(const ApiKey& key, std::string_view serviceId, bool requireAccess);

private:
    /// The owner's standing now, in the key's context; fills in who the caller is.
    ActiveStanding owner(const ApiKey& key, Caller& caller);

    Session& _session;
    const Catalog& _catalog;
    Instant _now;
};

} // namespace portico::identity
