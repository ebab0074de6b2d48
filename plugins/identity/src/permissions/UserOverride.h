#pragma once

#include "permissions/Evaluator.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Permission that one user is granted or denied in one organization beside their role, with a reason.
struct UserOverride : Versioned
{
    OverrideId id;
    UserId userId;
    OrganizationId organizationId;
    /// A permission, or a pattern: `crm.*:*`, `crm.contacts:*`, `crm.*:read`.
    std::string permission;
    Effect effect = Effect::Allow;
    std::string reason;
    std::string createdBy;
    std::optional<Instant> expiresAt;
};

constexpr auto schemaOf(const UserOverride*)
{
    return describe(field<&UserOverride::id>().readOnly(), field<&UserOverride::userId>().readOnly(),
                    field<&UserOverride::organizationId>().transient().readOnly(), field<&UserOverride::permission>().readOnly(),
                    field<&UserOverride::effect>(), field<&UserOverride::reason>().required().maxLength(500),
                    field<&UserOverride::createdBy>().readOnly(), field<&UserOverride::expiresAt>(), versioned<UserOverride>())
        .named("PermissionOverride");
}

inline constexpr Table userOverrideTable{"permission_overrides", &UserOverride::userId, &UserOverride::id};

} // namespace portico::identity
