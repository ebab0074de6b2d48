#pragma once

#include "common/Core.h"
#include "permissions/Explanation.h"
#include "permissions/Inspection.h"
#include "permissions/Subject.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct InspectionQuery : ContextQuery
{
    std::optional<std::string> serviceId;
};

constexpr auto schemaOf(const InspectionQuery*)
{
    return describe(
        field<&InspectionQuery::serviceId>("service_id"),
        field("organizationId", static_cast<std::optional<OrganizationId> InspectionQuery::*>(&InspectionQuery::organizationId)),
        field("context", static_cast<std::optional<ContextKind> InspectionQuery::*>(&InspectionQuery::context)));
}

struct ExplainQuery : ContextQuery
{
    std::string permission;
};

constexpr auto schemaOf(const ExplainQuery*)
{
    return describe(field<&ExplainQuery::permission>().required().maxLength(120),
                    field("organizationId", static_cast<std::optional<OrganizationId> ExplainQuery::*>(&ExplainQuery::organizationId)),
                    field("context", static_cast<std::optional<ContextKind> ExplainQuery::*>(&ExplainQuery::context)));
}

/// One question of a batch: about the caller, or about a user whose permissions the caller may see.
struct PermissionQuestion
{
    std::optional<UserId> userId;
    std::string permission;
    /// A resource as `type:id`. Resources restrict keys only, so it is ignored for users.
    std::optional<std::string> resource;
};

constexpr auto schemaOf(const PermissionQuestion*)
{
    return describe(field<&PermissionQuestion::userId>(), field<&PermissionQuestion::permission>().required().maxLength(120),
                    field<&PermissionQuestion::resource>().maxLength(200));
}

struct PermissionCheckInput
{
    std::vector<PermissionQuestion> checks;
};

constexpr auto schemaOf(const PermissionCheckInput*)
{
    return describe(field<&PermissionCheckInput::checks>().required().minItems(1).maxItems(100));
}

struct PermissionAnswer
{
    bool allowed = false;
    /// Like `decidedBy` of an explanation, or `unknown_permission`.
    std::string reason;
};

constexpr auto schemaOf(const PermissionAnswer*) { return describe(members<&PermissionAnswer::allowed, &PermissionAnswer::reason>()); }

struct PermissionCheckResult
{
    std::vector<PermissionAnswer> results;
    /// Revision of the caller; for a service that of the first user in the request.
    std::int64_t revision = 0;
};

constexpr auto schemaOf(const PermissionCheckResult*)
{
    return describe(members<&PermissionCheckResult::results, &PermissionCheckResult::revision>());
}

/// Answers questions about permissions, with reasons. Evaluates current rows like the routes do. Thread-safe.
class PermissionRoutes
{
public:
    explicit PermissionRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    PermissionInspection inspect(const Caller& caller, const Path<UserId>& userId, const Query<InspectionQuery>& query) const;
    PermissionExplanation explain(const Caller& caller, const Path<UserId>& userId, const Query<ExplainQuery>& query) const;
    PermissionCheckResult check(const Caller& caller, const Body<PermissionCheckInput>& input) const;

private:
    Core& _core;
};

} // namespace portico::identity
