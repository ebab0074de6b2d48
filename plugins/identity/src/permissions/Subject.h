#pragma once

#include "permissions/Actor.h"
#include "permissions/PersonAccess.h"

#include <optional>

namespace portico::identity
{

/// Where somebody's permissions are asked about: the active context unless the query names another.
struct ContextQuery
{
    std::optional<OrganizationId> organizationId;
    std::optional<ContextKind> context;
};

/// Whom and where a question about permissions means. One's own in every context that one has; of others in the active organization, for
/// admins and above there; for operators everybody's.
/// @throws Problem 404 for a user or an organization that is not the actor's, 403 `permission_denied` for a colleague of a plain member
PersonAccess requireSubject(Session& session, const Actor& actor, const UserId& userId, const ContextQuery& query);

} // namespace portico::identity
