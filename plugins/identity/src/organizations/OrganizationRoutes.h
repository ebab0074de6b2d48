#pragma once

#include "audit/EventName.h"
#include "common/Core.h"
#include "common/Names.h"
#include "permissions/Actor.h"
#include "records/Organization.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <functional>

namespace portico::identity
{

struct OrganizationListQuery
{
    std::int64_t all = 0;
};

constexpr auto schemaOf(const OrganizationListQuery*)
{
    return describe(field<&OrganizationListQuery::all>().range(0, 1).description("1 lists all organizations; for operators"));
}

struct OrganizationInput
{
    std::string name;
    std::string slug;
    OrganizationKind kind = OrganizationKind::Business;
};

constexpr auto schemaOf(const OrganizationInput*)
{
    return describe(named(field<&OrganizationInput::name>().required().trimmed().maxLength(120)),
                    field<&OrganizationInput::slug>().maxLength(40), field<&OrganizationInput::kind>());
}

/// The body of a deletion, a restart or the like: nothing.
struct NoInput
{
};

constexpr auto schemaOf(const NoInput*) { return portico::describe(); }

struct PlannedDeletion
{
    Instant deletionAt{};
};

constexpr auto schemaOf(const PlannedDeletion*) { return describe(field<&PlannedDeletion::deletionAt>()); }

/// Payload of the job that deletes an organization.
struct DueDeletion
{
    OrganizationId organizationId;
};

constexpr auto schemaOf(const DueDeletion*) { return describe(field<&DueDeletion::organizationId>()); }

struct TransferInput
{
    UserId toUserId;
    Role demoteSelfTo = Role::Admin;
};

constexpr auto schemaOf(const TransferInput*)
{
    return describe(field<&TransferInput::toUserId>().required(), field<&TransferInput::demoteSelfTo>());
}

/// Manages organizations: any user may create one; its owners and super admins change it. Thread-safe.
class OrganizationRoutes
{
public:
    explicit OrganizationRoutes(Core& core)
        : _core(core), _founded(core.state, core.clock, {.use = "organizations", .limit = maxFoundedADay, .window = std::chrono::hours(24)})
    {
    }
    void declare(Routes& routes);
    void start();

    Page<Organization> list(const Caller& caller, const Query<OrganizationListQuery>& query, const Paging& paging) const;
    /// Limited per user and day. @throws Problem 409 `conflict`, 429
    Created<Organization> create(const Caller& caller, const Request& request, const Body<OrganizationInput>& input);
    Organization show(const Caller& caller, const Path<OrganizationId>& id) const;
    Organization update(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                        const Body<Patch<Organization>>& patch, const IfMatch& match);
    /// Schedules the deletion in 14 days; until then `deletionAt: null` cancels it.
    Reply<PlannedDeletion> remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const IfMatch& match);
    Organization transfer(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<TransferInput>& input,
                          const IfMatch& match);

private:
    /// Runs a change of an organization that the caller may change.
    /// @param concerned the organization, and further users
    /// @return the organization after the change
    Organization change(const Caller& caller, const Request& request, const std::vector<Tenant>& concerned, const IfMatch& match,
                        EventName event, const std::function<void(Transaction&, const Actor&, Organization&)>& work);

    void deleteDue(const DueDeletion& due);

    static constexpr std::int64_t maxFoundedADay = 5;
    Core& _core;
    RateLimit _founded;
};

} // namespace portico::identity
