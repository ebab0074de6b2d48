#pragma once

#include "developers/HandoffRoutes.h"
#include "developers/IntakeRoutes.h"
#include "developers/ReviewRoutes.h"
#include "developers/Workspaces.h"

namespace portico::identity
{

/// What clients call about the developer programme.
class DevelopersPart
{
public:
    explicit DevelopersPart(Core& core) : _intake(core), _workspaces(core), _review(core, _workspaces), _handoffs(core) {}

    void declare(Routes& routes)
    {
        _intake.declare(routes);
        _workspaces.declare(routes);
        _review.declare(routes);
        _handoffs.declare(routes);
    }

private:
    IntakeRoutes _intake;
    Workspaces _workspaces;
    ReviewRoutes _review;
    HandoffRoutes _handoffs;
};

} // namespace portico::identity
