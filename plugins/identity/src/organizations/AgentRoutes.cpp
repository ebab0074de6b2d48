#include "organizations/AgentRoutes.h"

#include "audit/Audit.h"
#include "organizations/Plans.h"
#include "sessions/SignIn.h"

#include "portico/Id.h"
#include "portico/Problem.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view ofOrganization = " FROM agents a JOIN users u ON u.id = a.user_id JOIN users o ON o.id = a.owner_user_id "
                                            "JOIN memberships m ON m.organization_id = a.organization_id AND m.user_id = a.user_id "
                                            "WHERE a.organization_id = $1 AND u.status <> 'deactivated' AND m.status <> 'removed'";

/// Agents of the organization that have not been removed.
template <class... A>
std::vector<Agent> readAgents(Session& session, std::string_view which, const A&... arguments)
{
    std::vector<Agent> agents;
    for (Row row : session.query("SELECT m.role AS member_role, o.id AS owner_id, o.display_name AS owner_name, o.email AS owner_email, "
                                 "o.avatar_url AS owner_avatar, " +
                                     columns<User>("u.") + std::string(ofOrganization) + std::string(which),
                                 arguments...))
    {
        auto& agent = agents.emplace_back(row.as<Agent>());
        agent.name = agent.displayName;
        agent.role = parseEnum<Role>(row.text(0)).value();
        agent.ownerUserId = row.get<UserId>(1);
        agent.owner = {agent.ownerUserId, row.get<std::string>(2), row.get<std::string>(3), row.get<std::optional<std::string>>(4)};
    }
    return agents;
}

/// @throws Problem 404
Agent requireAgent(Session& session, const OrganizationId& organization, const UserId& id)
{
    auto found = readAgents(session, " AND a.user_id = $2", organization, id);
    if (found.empty()) throw Problem::notFound();
    return std::move(found.front());
}

void requireModest(Role role)
{
    if (rank(role) > rank(Role::Member)) throw Problem::invalid("role", "invalid_choice", "Agents are members or guests.");
}

void requireOwner(Session& session, const OrganizationId& organization, const UserId& owner)
{
    const auto membership = membershipTable.find(session, organization, owner);
    const auto user = users::find(session, owner.text());
    if (!membership || membership->status != MembershipStatus::Active || user->principalType != PrincipalType::User)
        throw Problem::invalid("ownerUserId", "not_a_member", "A person of the organization answers for an agent.");
}

} // namespace

void AgentRoutes::declare(Routes& routes)
{
    const auto manage = access::bearer("members:manage");
    constexpr std::string_view all = "/api/organizations/{organizationId}/agents";
    constexpr std::string_view one = "/api/organizations/{organizationId}/agents/{agentId}";
    routes.get(all, manage, &AgentRoutes::list, this, {.summary = "List the agents of the organization"})
        .post(all, manage, &AgentRoutes::create, this, {.summary = "Create an agent", .problems = {"409 seat_limit_reached"}})
        .get(one, manage, &AgentRoutes::show, this, {.summary = "Read an agent"})
        .patch(one, manage, &AgentRoutes::update, this, {.summary = "Change an agent's name, role or owner"})
        .del(one, manage, &AgentRoutes::remove, this, {.summary = "Remove an agent"});
}

Page<Agent> AgentRoutes::list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    Actor(session, caller, _core.clock.now()).requireOrganization(*id);
    auto page = pageOf(readAgents(session, " AND a.user_id > $2 ORDER BY a.user_id LIMIT $3", *id, paging.cursor, paging.limit + 1), paging,
                       &Agent::id);
    if (paging.includeTotal) page.total = session.value<std::int64_t>("SELECT COUNT(*)" + std::string(ofOrganization), *id);
    return page;
}

Agent AgentRoutes::show(const Caller& caller, const Path<OrganizationId>& id, const Path<UserId>& agentId) const
{
    auto session = _core.database.snapshot();
    Actor(session, caller, _core.clock.now()).requireOrganization(*id);
    return requireAgent(session, *id, *agentId);
}

Created<Agent> AgentRoutes::create(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                   const Body<AgentInput>& input)
{
    requireModest(input->role);
    auto made = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            organizations::lock(transaction, *id);
            const Actor actor(transaction, caller, now);
            actor.requireOrganization(*id);
            actor.requireMayGrant(*id, input->role);
            requireOwner(transaction, *id, input->ownerUserId);
            plans::requireSeat(_core.context, transaction, *id);
            User agent;
            agent.id = UserId::make(now);
            // Reserved domain without mail (RFC 2606).
            agent.email = makeUlid(now) + "@agents.invalid";
            agent.emailKey = agent.email;
            agent.displayName = input->name;
            agent.status = UserStatus::Active;
            agent.principalType = PrincipalType::Agent;
            agent.launcherEligible = false;
            agent.createdAt = agent.updatedAt = now;
            users::insert(transaction, agent);
            agentOwnerTable.insert(transaction, *id, {agent.id, input->ownerUserId});
            memberships::join(transaction, *id, agent.id, input->role, now);
            AuditLog::of(request, now, *id).record(transaction, "agent.created", agent.id);
            return requireAgent(transaction, *id, agent.id);
        });
    auto location = "/api/organizations/" + id->text() + "/agents/" + made.id.text();
    return {std::move(made), std::move(location)};
}

void AgentRoutes::change(const Caller& caller, const Request& request, const OrganizationId& id, const UserId& agentId, EventName event,
                         const std::function<void(Transaction&, const Actor&, const Agent&)>& work)
{
    _core.changes.run({agentId},
                      [&](Transaction& transaction)
                      {
                          const auto now = _core.clock.now();
                          organizations::lock(transaction, id);
                          const Actor actor(transaction, caller, now);
                          actor.requireOrganization(id);
                          work(transaction, actor, requireAgent(transaction, id, agentId));
                          AuditLog::of(request, now, id).record(transaction, event, agentId);
                      });
}

Agent AgentRoutes::update(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& agentId,
                          const Body<Patch<AgentInput>>& patch, const IfMatch& match)
{
    Agent after;
    change(caller, request, *id, *agentId, "agent.updated",
           [&](Transaction& transaction, const Actor& actor, const Agent& agent)
           {
               const auto now = _core.clock.now();
               match.require(agent.version);
               AgentInput changed{{}, agent.name, agent.ownerUserId, agent.role};
               patch->applyTo(changed);
               requireModest(changed.role);
               if (changed.ownerUserId != agent.ownerUserId) requireOwner(transaction, *id, changed.ownerUserId);
               if (changed.role != agent.role)
               {
                   auto membership = membershipTable.find(transaction, *id, *agentId).value();
                   membership.role = changed.role;
                   memberships::change(transaction, actor, *id, membership, now);
               }
               agentOwnerTable.update(transaction, *id, {*agentId, changed.ownerUserId});
               userTable.set(transaction, *agentId, {now}, &User::displayName, changed.name, &User::foldedName, fold(changed.name));
               after = requireAgent(transaction, *id, *agentId);
           });
    return after;
}

NoContent AgentRoutes::remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& agentId,
                              const IfMatch& match)
{
    change(caller, request, *id, *agentId, "agent.removed",
           [&](Transaction& transaction, const Actor&, const Agent& agent)
           {
               const auto now = _core.clock.now();
               match.require(agent.version);
               auto membership = membershipTable.find(transaction, *id, *agentId).value();
               membership.status = MembershipStatus::Removed;
               memberships::update(transaction, *id, membership, now);
               const auto log = AuditLog::of(request, now, *id);
               memberships::cleanUp(transaction, *id, *agentId, now, &log);
               userTable.set(transaction, *agentId, {now}, &User::status, UserStatus::Deactivated);
           });
    return {};
}

} // namespace portico::identity
