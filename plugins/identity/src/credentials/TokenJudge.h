#pragma once

#include "catalog/Catalog.h"
#include "credentials/CallerCache.h"
#include "tokens/AccessToken.h"

#include "portico/Database.h"

namespace portico::identity
{

/// Judges a genuine token by the rows of one snapshot. Made for one judgement.
class TokenJudge
{
public:
    TokenJudge(Session& session, const Catalog& catalog, Instant now) : _session(session), _catalog(catalog), _now(now) {}

    /// @param requireAccess false on rows about the caller's own things, which need no access to the service.
    /// @throws Problem 401 `invalid_token` (session_ended, user_suspended, revoked), 403 `service_access_denied`
    RememberedCredential judge(const AccessClaims& claims, bool requireAccess);

private:
    Session& _session;
    const Catalog& _catalog;
    Instant _now;
};

} // namespace portico::identity
