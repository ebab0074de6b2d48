#pragma once

#include "portico/Access.h"
#include "portico/Http.h"
#include "portico/Routes.h"
#include "portico/detail/Operation.h"

#include <map>
#include <string>
#include <string_view>

namespace portico::detail
{

/// Component schemas by name, as JSON text.
using Components = std::map<std::string, std::string>;

/// JSON Schema 2020-12 of a type, as OpenAPI 3.1 takes it; records and enums become components.
std::string openApiSchema(const Type& type, const Rules* rules, Components& components);

/// The same for a merge body (RFC 7396): no member is required, read-only ones are left out.
std::string openApiPatchSchema(const Type& type, Components& components);

/// Returns true if answers contain the member, so that `fields` may name it.
inline bool isShown(const Member& member) noexcept
{
    return !member.rules.columnOnly && !member.rules.writeOnly && !member.rules.flattened;
}

/// The operation object of a route.
std::string describeOperation(Method method, std::string_view pattern, const Access& access, const RouteOptions& options,
                              const Operation& operation, Components& components);

} // namespace portico::detail
