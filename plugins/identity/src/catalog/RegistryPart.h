#pragma once

#include "audit/AuditRoutes.h"
#include "catalog/AccessRoutes.h"
#include "catalog/AppSwitcherRoutes.h"
#include "catalog/BundleRoutes.h"
#include "catalog/RegistryRoutes.h"
#include "catalog/RemovedRoutes.h"
#include "onboarding/LandingRoutes.h"
#include "onboarding/OnboardingRoutes.h"
#include "permissions/OverrideRoutes.h"
#include "permissions/PermissionRoutes.h"

namespace portico::identity
{

/// Services, what people may do in them, and what was done: the routes of the registry, of permissions and of the audit trail.
class RegistryPart
{
public:
    explicit RegistryPart(Core& core)
        : _registry(core),
          _bundles(core),
          _access(core),
          _permissions(core),
          _overrides(core),
          _audit(core),
          _appSwitcher(core),
          _onboarding(core),
          _landing(core)
    {
    }

    void declare(Routes& routes)
    {
        _registry.declare(routes);
        _bundles.declare(routes);
        _access.declare(routes);
        _permissions.declare(routes);
        _overrides.declare(routes);
        _audit.declare(routes);
        _appSwitcher.declare(routes);
        _onboarding.declare(routes);
        _landing.declare(routes);
        _removed.declare(routes);
    }

private:
    RegistryRoutes _registry;
    BundleRoutes _bundles;
    AccessRoutes _access;
    PermissionRoutes _permissions;
    OverrideRoutes _overrides;
    AuditRoutes _audit;
    AppSwitcherRoutes _appSwitcher;
    OnboardingRoutes _onboarding;
    LandingRoutes _landing;
    RemovedRoutes _removed;
};

} // namespace portico::identity
