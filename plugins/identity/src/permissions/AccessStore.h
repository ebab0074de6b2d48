#pragma once

#include "common/Ids.h"
#include "organizations/Organization.h"
#include "permissions/Evaluator.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// What a principal is in its active context, as the rows say now.
struct ActiveStanding
{
    /// Empty: personal context.
    std::optional<OrganizationId> organizationId;
    std::string organizationName;
    Role role = Role::Member;
    /// Membership and organization are both active. True in personal context.
    bool inGoodStanding = true;
    bool organizationSuspended = false;
    std::optional<PlatformRole> platformRole;
    /// The platform role has effect.
    bool platformBypass = false;

    ContextKind kind() const noexcept { return organizationId ? ContextKind::Organization : ContextKind::Personal; }
};

/// Reads from rows what the evaluator needs.
namespace access_facts
{
ActiveStanding standing(Session& session, std::string_view userId, const std::optional<OrganizationId>& organizationId,
                        std::optional<PlatformRole> platformRole);
/// Standing of an organization's own principal: what its owners may do.
ActiveStanding organizationStanding(Session& session, const OrganizationId& organizationId);

EvaluationInput input(Session& session, const ActiveStanding& standing, std::string_view userId, std::string_view serviceId);
} // namespace access_facts

} // namespace portico::identity
