#pragma once

#include "portico/Caller.h"
#include "portico/Problem.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// Checks the same rights as `access::bearerOrKey`, for a part of a call that only some requests use. @throws Problem 403
inline void requireRight(const Caller& caller, std::string_view permission, std::string_view scope)
{
    if (caller.credential == CredentialKind::ApiKey && !caller.hasScope(scope))
        throw Problem::forbidden("insufficient_scope", "The key does not hold the scope " + std::string(scope) + ".");
    const std::string name(permission);
    if (!caller.may(permission))
        throw Problem::forbidden("permission_denied", "The permission " + name + " is needed.")
            .withDetails(R"({"permission":")" + name + "\"}");
}

} // namespace portico::crm
