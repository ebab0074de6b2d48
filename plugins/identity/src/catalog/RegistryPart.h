#pragma once

#include "audit/AuditRoutes.h"
#include "catalog/AccessRoutes.h"
#include "catalog/AppSwitcherRoutes.h"
#include "catalog/BundleRoutes.h"
#include "catalog/RegistryRoutes.h"
#include "catalog/RemovedRoutes.h"
#include "catalog/SettingsRedirect.h"
#include "keys/KeyCheckRoutes.h"
#include "keys/KeyUsageRoutes.h"
#include "keys/LeakedKeyRoutes.h"
#include "onboarding/LandingRoutes.h"
#include "onboarding/OnboardingRoutes.h"
#include "permissions/OverrideRoutes.h"
#include "permissions/PermissionRoutes.h"
#include "webhooks/WebhookRoutes.h"

namespace portico::identity
{

/// Services, what people and keys may do in them, and what was done: the routes of the registry, of permissions, of the audit trail and of
/// webhooks.
class RegistryPart
{
public:
    RegistryPart(Core& core, interfaces::Credentials& credentials, KeyUsage& usage)
        : _registry(core),
          _bundles(core),
          _access(core),
          _permissions(core),
          _overrides(core),
          _audit(core),
          _appSwitcher(core),
          _onboarding(core),
          _landing(core),
          _settings(core),
          _leakedKeys(core),
          _keyChecks(core, credentials, usage),
          _keyUsage(core, usage),
          _sender(core),
          _webhooks(core, _sender)
    {
    }

    void start()
    {
        _leakedKeys.start();
        _sender.start();
    }

    OnboardingRoutes& onboarding() noexcept { return _onboarding; }

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
        _settings.declare(routes);
        _leakedKeys.declare(routes);
        _keyChecks.declare(routes);
        _keyUsage.declare(routes);
        _webhooks.declare(routes);
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
    SettingsRedirect _settings;
    LeakedKeyRoutes _leakedKeys;
    KeyCheckRoutes _keyChecks;
    KeyUsageRoutes _keyUsage;
    WebhookSender _sender;
    WebhookRoutes _webhooks;
};

} // namespace portico::identity
