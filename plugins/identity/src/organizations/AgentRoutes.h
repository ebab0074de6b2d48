#pragma once

#include "common/Core.h"
#include "common/Names.h"
#include "organizations/Memberships.h"
#include "permissions/Actor.h"
#include "users/User.h"

#include "portico/Routes.h"

#include <functional>

namespace portico::identity
{

struct AgentInput
{
    std::string name;
    UserId ownerUserId;
    Role role = Role::Member;
};

constexpr auto schemaOf(const AgentInput*)
{
    return describe(named(field("name", &AgentInput::name).required().trimmed().maxLength(120)),
                    field("ownerUserId", &AgentInput::ownerUserId).required(), field("role", &AgentInput::role));
}

/// Programs that work in an organization as somebody of their own, for whom one of its members answers. Thread-safe.
class AgentRoutes
{
public:
    explicit AgentRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<User> list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const;
    Created<User> create(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Body<AgentInput>& input);
    User update(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& agentId,
                const Body<Patch<AgentInput>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id, const Path<UserId>& agentId,
                     const IfMatch& match);

private:
    User change(const Caller& caller, const Request& request, const OrganizationId& id, const UserId& agentId, std::string_view event,
                const std::function<void(Transaction&, const Actor&, User&)>& work);

    Core& _core;
};

} // namespace portico::identity
