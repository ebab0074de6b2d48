#pragma once

#include "households/HouseholdRoutes.h"
#include "organizations/AgentRoutes.h"
#include "organizations/DomainRoutes.h"
#include "organizations/InvitationRoutes.h"
#include "organizations/MemberRoutes.h"
#include "organizations/OrganizationRoutes.h"
#include "people/UserRoutes.h"

namespace portico::identity
{

/// What clients call about organizations, households and the people in them.
class OrganizationsPart
{
public:
    explicit OrganizationsPart(Core& core)
        : _organizations(core), _members(core), _invitations(core), _agents(core), _domains(core), _users(core), _households(core)
    {
    }

    InvitationRoutes& invitations() noexcept { return _invitations; }
    HouseholdRoutes& households() noexcept { return _households; }

    void start()
    {
        _organizations.start();
        _domains.start();
    }
    void declare(Routes& routes)
    {
        _organizations.declare(routes);
        _members.declare(routes);
        _invitations.declare(routes);
        _agents.declare(routes);
        _domains.declare(routes);
        _users.declare(routes);
        _households.declare(routes);
    }

private:
    OrganizationRoutes _organizations;
    MemberRoutes _members;
    InvitationRoutes _invitations;
    AgentRoutes _agents;
    DomainRoutes _domains;
    UserRoutes _users;
    HouseholdRoutes _households;
};

} // namespace portico::identity
