#include "IdentityPlugin.h"

#include "keys/KeyExpiry.h"
#include "users/OneTimeTokens.h"

#include <sodium.h>
#include <stdexcept>

namespace portico::identity
{

namespace
{
constexpr std::string_view usageJob = "identity.key-usage";
constexpr auto usageInterval = std::chrono::minutes(1);
constexpr std::string_view sweepJob = "identity.sweep";
constexpr auto sweepInterval = std::chrono::hours(1);
} // namespace

IdentityPlugin::IdentityPlugin(PluginContext& context)
    : _foundations(context),
      _core(_foundations.core()),
      _keyUsage(_core.database),
      _credentials(_core, _keyUsage),
      _registry(_core.database, _core.changes, _core.settings, _core.clock),
      _accounts(_core),
      _directory(_core),
      _flow(_core),
      _secondFactors(_core),
      _passkeys(_core),
      _pages(_core),
      _accountLimits(_core.state, _core.clock, _core.settings.accounts),
      _accountMails(_core),
      _accountJobs(_core, _accountMails),
      _workspaces(_core),
      _connectors(_core),
      _webhookSender(_core),
      _ownRecords(_core),
      _dataExports(_core, _ownRecords),
      _deletions(_core, _ownRecords, _dataExports),
      _logoutCalls(_core),
      _humanRoutes(_core.human),
      _intakeRoutes(_core),
      _reviewRoutes(_core, _workspaces),
      _handoffRoutes(_core),
      _emailChangeRoutes(_core, _accountLimits, _accountMails),
      _registrationRoutes(_core, _flow, _accountLimits, _accountMails, _accountJobs, _emailChangeRoutes),
      _passwordRoutes(_core, _secondFactors, _passkeys, _accountLimits, _accountMails, _accountJobs),
      _recoveryEmailRoutes(_core, _accountLimits, _accountMails),
      _preferenceRoutes(_core),
      _sessionRoutes(_core, _flow, _secondFactors, _passkeys),
      _ssoRoutes(_core, _pages, _flow),
      _authorizeRoutes(_core, _pages, _flow),
      _parRoutes(_core),
      _tokenRoutes(_core, _flow),
      _providerRoutes(_core, _pages),
      _clientRoutes(_core),
      _clientRegistrationRoutes(_core, _credentials),
      _deviceRoutes(_core, _pages, _flow),
      _signingKeyRoutes(_core),
      _sessionListRoutes(_core),
      _factorRoutes(_core, _secondFactors),
      _mfaRoutes(_core, _flow, _secondFactors, _passkeys),
      _signInEnrollment(_core, _flow, _secondFactors),
      _loginPage(_core, _pages, _sessionRoutes, _mfaRoutes, _signInEnrollment),
      _providerSignInRoutes(_core, _pages, _flow, _connectors, _loginPage),
      _linkedAccountRoutes(_core, _providerSignInRoutes),
      _identityProviderRoutes(_core, _connectors),
      _passkeyRoutes(_core, _flow, _passkeys),
      _passkeyPages(_core, _pages, _passkeyRoutes, _passkeys),
      _securityRoutes(_core, _secondFactors),
      _sessionPages(_core),
      _meRoutes(_core),
      _validateRoutes(_credentials, _core.catalog, _core.database),
      _catalogRoutes(_core.catalog),
      _keyRoutes(_core),
      _registryRoutes(_core),
      _bundleRoutes(_core),
      _accessRoutes(_core),
      _permissionRoutes(_core),
      _overrideRoutes(_core),
      _auditRoutes(_core),
      _appSwitcherRoutes(_core),
      _onboardingRoutes(_core),
      _landingRoutes(_core),
      _settingsRedirect(_core),
      _leakedKeyRoutes(_core),
      _keyCheckRoutes(_core, _credentials, _keyUsage),
      _keyUsageRoutes(_core, _keyUsage),
      _webhookRoutes(_core, _webhookSender),
      _organizationRoutes(_core),
      _memberRoutes(_core),
      _invitationRoutes(_core),
      _agentRoutes(_core),
      _domainRoutes(_core),
      _userRoutes(_core),
      _householdRoutes(_core),
      _scimRoutes(_core),
      _accountPages(_core, _pages, _registrationRoutes, _passwordRoutes, _passkeyRoutes, _passkeys),
      _invitationPages(_core, _pages, _invitationRoutes, _householdRoutes),
      _privacyRoutes(_core, _pages, _dataExports, _deletions),
      _impersonationRoutes(_core, _flow),
      _selfCheckRoutes(_core),
      _services(_core),
      _signIns(_core, _sessionRoutes, _ssoRoutes, _householdRoutes, _credentials, _services),
      _operators(_core),
      _onboarding(_core, _directory, _onboardingRoutes),
      _preferences(_core),
      _plans(_core)
{
}

void IdentityPlugin::start()
{
    if (sodium_init() < 0) throw std::runtime_error("libsodium could not be prepared: the system's random source is missing");
    _core.keys.prepare(_core.context.config().secret("identity.sealingKeys"));
    _core.context.jobs().handle(usageJob, [this](const Job&) { _keyUsage.flush(); });
    _core.context.jobs().every(usageJob, usageInterval);
    _core.context.jobs().handle(sweepJob, [this](const Job&) { sweep(); });
    _core.context.jobs().every(sweepJob, sweepInterval);
    _leakedKeyRoutes.start();
    _webhookSender.start();
    _organizationRoutes.start();
    _domainRoutes.start();
    _accountJobs.start();
    _logoutCalls.start();
    _dataExports.start();
    _deletions.start();
    _scimRoutes.start();
    _core.context.services().provide<interfaces::Credentials>(_credentials);
    _core.context.services().provide<interfaces::ServiceRegistry>(_registry);
    _core.context.services().provide<interfaces::Accounts>(_accounts);
    _core.context.services().provide<interfaces::Directory>(_directory);
    _core.context.services().provide<interfaces::SignIns>(_signIns);
    _core.context.services().provide<interfaces::OperatorRecords>(_operators);
    _core.context.services().provide<interfaces::ServiceCatalog>(_services);
    _core.context.services().provide<interfaces::Onboarding>(_onboarding);
    _core.context.services().provide<interfaces::SharedPreferences>(_preferences);
    _core.context.services().provide<interfaces::PlanAccess>(_plans);
}

void IdentityPlugin::sweep()
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            one_time_tokens::sweep(transaction, _core.clock.now());
            CodeRedemption::sweep(transaction, _core.clock.now());
            webhooks::sweep(transaction, _core.clock.now());
        });
    while (_core.database.transact(&users::foldNames)) continue;
    const auto announce = [&](Transaction& transaction)
    { return key_expiry::announce(transaction, _core.context.events(), _core.clock.now()); };
    while (_core.database.transact(announce)) continue;
    _accountJobs.sweep();
    _dataExports.sweep();
    _deletions.sweep();
    _sessionListRoutes.sweep();
}

void IdentityPlugin::declare(Routes& routes)
{
    routes.get("/.well-known/jwks.json", access::open(), &KeyRing::jwks, &_core.keys,
               {.summary = "Public keys of access tokens",
                .crossOrigin = CrossOrigin::anyone(),
                .cacheControl = "public, max-age=300",
                .anyQuery = true});
    _ssoRoutes.declare(routes);
    _authorizeRoutes.declare(routes);
    _parRoutes.declare(routes);
    _tokenRoutes.declare(routes);
    _providerRoutes.declare(routes);
    _clientRegistrationRoutes.declare(routes);
    _deviceRoutes.declare(routes);
    // Routes declared from here on are also served on console origins.
    routes.alsoOn(_core.settings.consoleServices);
    _clientRoutes.declare(routes);
    _humanRoutes.declare(routes);
    _pages.declare(routes);
    _intakeRoutes.declare(routes);
    _workspaces.declare(routes);
    _reviewRoutes.declare(routes);
    _handoffRoutes.declare(routes);
    _registrationRoutes.declare(routes);
    _passwordRoutes.declare(routes);
    _emailChangeRoutes.declare(routes);
    _recoveryEmailRoutes.declare(routes);
    _preferenceRoutes.declare(routes);
    _sessionRoutes.declare(routes);
    _loginPage.declare(routes);
    _providerSignInRoutes.declare(routes);
    _linkedAccountRoutes.declare(routes);
    _identityProviderRoutes.declare(routes);
    _accountPages.declare(routes);
    _invitationPages.declare(routes);
    _signingKeyRoutes.declare(routes);
    _sessionListRoutes.declare(routes);
    _factorRoutes.declare(routes);
    _mfaRoutes.declare(routes);
    _passkeyRoutes.declare(routes);
    _passkeyPages.declare(routes);
    _securityRoutes.declare(routes);
    _sessionPages.declare(routes);
    _meRoutes.declare(routes);
    _validateRoutes.declare(routes);
    _catalogRoutes.declare(routes);
    _keyRoutes.declare(routes);
    _registryRoutes.declare(routes);
    _bundleRoutes.declare(routes);
    _accessRoutes.declare(routes);
    _permissionRoutes.declare(routes);
    _overrideRoutes.declare(routes);
    _auditRoutes.declare(routes);
    _appSwitcherRoutes.declare(routes);
    _onboardingRoutes.declare(routes);
    _landingRoutes.declare(routes);
    _removedRoutes.declare(routes);
    _settingsRedirect.declare(routes);
    _leakedKeyRoutes.declare(routes);
    _keyCheckRoutes.declare(routes);
    _keyUsageRoutes.declare(routes);
    _webhookRoutes.declare(routes);
    _organizationRoutes.declare(routes);
    _memberRoutes.declare(routes);
    _invitationRoutes.declare(routes);
    _agentRoutes.declare(routes);
    _domainRoutes.declare(routes);
    _userRoutes.declare(routes);
    _householdRoutes.declare(routes);
    _scimRoutes.declare(routes);
    _privacyRoutes.declare(routes);
    _impersonationRoutes.declare(routes);
    _selfCheckRoutes.declare(routes);
}

void IdentityPlugin::stop() noexcept
{
    try
    {
        _keyUsage.flush();
    }
    catch (const std::exception& error)
    {
        _core.context.logger().warning("The last uses of API keys were not written", {{"error", error.what()}});
    }
}

} // namespace portico::identity
