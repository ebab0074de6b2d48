#pragma once

#include "catalog/Catalog.h"
#include "clients/OAuthClient.h"
#include "permissions/Evaluator.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// OAuth client that acts for itself, by current rows: an external service, or a program of an organization.
struct ServicePrincipal
{
    OAuthClient client;
    /// State of the organization that owns the client.
    ActiveStanding owner;
    /// Scopes of its token that the client still has, sorted.
    std::vector<std::string> scopes;

    /// @param scope of the client's token
    /// @throws Problem 401 `invalid_token` (revoked; workspace_suspended: the organization is not active); 403 `service_access_denied` if
    /// its service is suspended, retired or unknown. A service that is not active yet may register
    static ServicePrincipal require(Session& session, const Catalog& catalog, std::string_view clientId, std::string_view scope);
    /// Does the same for a client that was just read.
    static ServicePrincipal of(Session& session, const Catalog& catalog, OAuthClient client, std::string_view scope);
};

/// Restricts external backends to their service. Does nothing for callers that are not a service's backend.
/// @throws Problem 403 `permission_denied`
void requireOwnService(const Catalog& catalog, const Caller& caller, std::string_view serviceId);

} // namespace portico::identity
