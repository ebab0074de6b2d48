#pragma once

#include "permissions/Actor.h"
#include "permissions/PersonAccess.h"

#include <optional>

namespace portico::identity
{

/// Context of a query for permissions: the active one unless the query names another.
struct ContextQuery
{
    std::optional<OrganizationId> organizationId;
    std::optional<ContextKind> context;
};

/// Returns the person and the context of a query for permissions. Users may query themselves in all their contexts. Admins may query
/// members of the active organization, operators everyone.
/// @throws Problem 404 for a user or an organization that the actor cannot see, 403 `permission_denied` for another member without admin
/// rights
PersonAccess requireSubject(Session& session, const Actor& actor, const UserId& userId, const ContextQuery& query);

} // namespace portico::identity
