#pragma once

#include "permissions/Evaluator.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// What one user is given or refused in one organization beside their role, and why.
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
    return describe(field("id", &UserOverride::id).readOnly(), field("userId", &UserOverride::userId).readOnly(),
                    field("organizationId", &UserOverride::organizationId).transient().readOnly(),
                    field("permission", &UserOverride::permission).readOnly(), field("effect", &UserOverride::effect),
                    field("reason", &UserOverride::reason).required().maxLength(500),
                    field("createdBy", &UserOverride::createdBy).readOnly(), field("expiresAt", &UserOverride::expiresAt),
                    versioned<UserOverride>())
        .named("PermissionOverride");
}

inline constexpr Table userOverrideTable{"permission_overrides", &UserOverride::userId, &UserOverride::id};

} // namespace portico::identity
