#include "host/routing/pipeline/Authorization.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

namespace
{

/// Not left to the handler: it would look into the body first. Whom a cookie names only the service knows.
void checkContext(const Caller& caller, const plugins::Manifest& service)
{
    if (caller.anonymous() || service.servesContext(caller.organizationId)) return;
    throw Problem::forbidden("service_access_denied", caller.organizationId.empty()
                                                          ? "This service works in the context of an organization."
                                                          : "This service works in personal context.");
}

} // namespace

void Authorization::check(const Caller& caller, const Access& access, const plugins::Manifest& service)
{
    if (access.open) return;
    checkContext(caller, service);
    if (caller.credential == CredentialKind::ApiKey && !access.scope.empty() && !caller.hasScope(access.scope))
        throw Problem::forbidden("insufficient_scope", "The key does not hold the scope " + access.scope + ".");
    if (!access.permission.empty() && !caller.may(access.permission))
        throw Problem::forbidden("permission_denied", "The permission " + access.permission + " is needed.");
}

} // namespace portico::host::routing
