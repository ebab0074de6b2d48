#include "IdentityPlugin.h"

#include "accounts/OneTimeTokens.h"
#include "keys/KeyExpiry.h"

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
    : _core(context),
      _keyUsage(_core.database),
      _credentials(_core, _keyUsage),
      _registry(_core.database, _core.changes, _core.settings, _core.clock),
      _accounts(_core),
      _directory(_core),
      _humanRoutes(_core.human),
      _desk(_core),
      _secondFactors(_core),
      _developers(_core),
      _passkeys(_core),
      _accountsPart(_core, _desk, _secondFactors, _passkeys),
      _sessionRoutes(_core, _desk, _secondFactors, _passkeys),
      _pages(_core),
      _ssoRoutes(_core, _pages),
      _oauth(_core, _pages, _desk, _credentials),
      _signingKeyRoutes(_core),
      _sessionListRoutes(_core),
      _factorRoutes(_core, _secondFactors),
      _mfaRoutes(_core, _desk, _secondFactors, _passkeys),
      _loginPage(_core, _pages, _sessionRoutes, _mfaRoutes),
      _providers(_core, _pages, _desk, _loginPage),
      _passkeyRoutes(_core, _desk, _passkeys),
      _passkeyPages(_core, _pages, _passkeyRoutes, _passkeys),
      _securityRoutes(_core, _secondFactors),
      _sessionPages(_core),
      _meRoutes(_core),
      _validateRoutes(_credentials, _core.catalog, _core.database),
      _catalogRoutes(_core.catalog),
      _keyRoutes(_core),
      _registryPart(_core, _credentials, _keyUsage),
      _organizations(_core),
      _scimRoutes(_core),
      _accountPages(_core, _pages, _accountsPart.registration(), _accountsPart.passwords(), _passkeyRoutes, _passkeys),
      _invitationPages(_core, _pages, _organizations.invitations(), _organizations.households()),
      _privacy(_core, _pages),
      _impersonationRoutes(_core, _desk),
      _selfCheckRoutes(_core),
      _services(_core),
      _signIns(_core, _desk, _sessionRoutes, _ssoRoutes, _organizations.households(), _credentials, _services),
      _operators(_core),
      _onboarding(_core, _directory, _registryPart.onboarding()),
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
    _registryPart.start();
    _organizations.start();
    _accountsPart.start();
    _oauth.start();
    _privacy.start();
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
            OneTimeCodes::sweep(transaction, _core.clock.now());
            webhooks::sweep(transaction, _core.clock.now());
        });
    while (_core.database.transact(&users::foldNames)) continue;
    const auto announce = [&](Transaction& transaction)
    { return key_expiry::announce(transaction, _core.context.events(), _core.clock.now()); };
    while (_core.database.transact(announce)) continue;
    _accountsPart.sweep();
    _privacy.sweep();
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
    _oauth.declare(routes);
    // What people manage, they manage from a console, too.
    routes.alsoOn(_core.settings.consoleServices);
    _oauth.declareClients(routes);
    _humanRoutes.declare(routes);
    _pages.declare(routes);
    _developers.declare(routes);
    _accountsPart.declare(routes);
    _sessionRoutes.declare(routes);
    _loginPage.declare(routes);
    _providers.declare(routes);
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
    _registryPart.declare(routes);
    _organizations.declare(routes);
    _scimRoutes.declare(routes);
    _privacy.declare(routes);
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
