#pragma once

#include "audit/EventName.h"
#include "common/Core.h"
#include "common/IgnoredOnInput.h"
#include "common/Names.h"
#include "organizations/Memberships.h"
#include "permissions/Actor.h"
#include "users/User.h"

#include "portico/Routes.h"

#include <functional>

namespace portico::identity
{

struct AgentInput : IgnoredOnInput
{
    std::string name;
    UserId ownerUserId;
    Role role = Role::Member;
};

constexpr auto schemaOf(const AgentInput*)
{
    return describe(named(field<&AgentInput::name>().required().trimmed().maxLength(120)), field<&AgentInput::ownerUserId>().required(),
                    field<&AgentInput::role>(), readBackOfUser<AgentInput>(),
                    readBack<AgentInput>("displayName", "status", "platformRole", "principalServices", "launcherEligible", "owner"));
}

/// Program with an account in an organization.
struct Agent : User
{
    /// The display name.
    std::string name;
    UserId ownerUserId;
    /// Profile of the responsible member, as shown to others.
    MemberProfile owner;
};

constexpr auto schemaOf(const Agent*)
{
    return describe(schemaOf(static_cast<const User*>(nullptr)), field<&Agent::name>().transient(),
                    field<&Agent::ownerUserId>().transient(), field<&Agent::owner>().transient());
}

/// A row of `agents`.
struct AgentOwner
{
    UserId userId;
    UserId ownerUserId;
};

constexpr auto schemaOf(const AgentOwner*) { return describe(members<&AgentOwner::userId, &AgentOwner::ownerUserId>()); }

inline constexpr Table agentOwnerTable{"agents", &AgentOwner::userId};

/// Agents: programs with an account in an organization, for which one of its members is responsible. Thread-safe.
class AgentRoutes
{
public:
    explicit AgentRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<Agent> list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const;
    Agent show(const Caller& caller, const Path<OrganizationId>& id, const Path<UserId>& agentId) const;
    Created<Agent> create(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<AgentInput>& input);
    Agent update(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& agentId,
                 const Body<Patch<AgentInput>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& agentId,
                     const IfMatch& match);

private:
    void change(const Caller& caller, const Request& request, const OrganizationId& id, const UserId& agentId, EventName event,
                const std::function<void(Transaction&, const Actor&, const Agent&)>& work);

    Core& _core;
};

} // namespace portico::identity
