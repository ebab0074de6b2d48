#include "host/routing/Authorization.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

void Authorization::check(const Caller& caller, const Access& access)
{
    if (access.open) return;
    if (caller.credential == CredentialKind::ApiKey && !access.scope.empty() && !caller.hasScope(access.scope))
        throw Problem::forbidden("insufficient_scope", "The key does not hold the scope " + access.scope + ".");
    if (!access.permission.empty() && !caller.may(access.permission))
        throw Problem::forbidden("permission_denied", "The permission " + access.permission + " is needed.");
}

} // namespace portico::host::routing
