#pragma once

#include "catalog/Catalog.h"
#include "clients/OAuthClient.h"
#include "permissions/Evaluator.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// An OAuth client that speaks for itself, as the rows say now: a service that runs elsewhere, or a program of an organization.
struct ServicePrincipal
{
    OAuthClient client;
    /// Of the organization that the client belongs to.
    ActiveStanding owner;
    /// Words of its token's scope that the client still has, sorted.
    std::vector<std::string> scopes;

    /// @param scope as its token says
    /// @throws Problem 401 `invalid_token` (revoked; workspace_suspended: the organization is not active), 403 `service_access_denied`: the
    /// service that it stands for is suspended, retired or gone. One that is not active yet may register.
    static ServicePrincipal require(Session& session, const Catalog& catalog, std::string_view clientId, std::string_view scope);
    /// The same of a client that was read just now.
    static ServicePrincipal of(Session& session, const Catalog& catalog, OAuthClient client, std::string_view scope);
};

/// Backends of others ask about their own service alone, what keys and people may do there; who is no service's backend is not asked.
/// @throws Problem 403 `permission_denied`
void requireOwnService(const Catalog& catalog, const Caller& caller, std::string_view serviceId);

} // namespace portico::identity
