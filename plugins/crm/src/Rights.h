#pragma once

#include "portico/Caller.h"
#include "portico/Problem.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// What a route asks of its caller by `access::bearerOrKey`, for a part of a call that only some requests ask for. @throws Problem 403
inline void requireRight(const Caller& caller, std::string_view permission, std::string_view scope)
{
    if (caller.credential == CredentialKind::ApiKey && !caller.hasScope(scope))
        throw Problem::forbidden("insufficient_scope", "The key does not hold the scope " + std::string(scope) + ".");
    if (!caller.may(permission)) throw Problem::forbidden("permission_denied", "The permission " + std::string(permission) + " is needed.");
}

} // namespace portico::crm
