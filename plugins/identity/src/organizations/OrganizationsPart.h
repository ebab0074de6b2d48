#pragma once

#include "organizations/MemberRoutes.h"
#include "organizations/OrganizationRoutes.h"

namespace portico::identity
{

/// What clients call about organizations and the people in them.
class OrganizationsPart
{
public:
    explicit OrganizationsPart(Core& core) : _organizations(core), _members(core) {}

    void start() { _organizations.start(); }
    void declare(Routes& routes)
    {
        _organizations.declare(routes);
        _members.declare(routes);
    }

private:
    OrganizationRoutes _organizations;
    MemberRoutes _members;
};

} // namespace portico::identity
