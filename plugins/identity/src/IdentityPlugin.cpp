#include "IdentityPlugin.h"

#include <sodium.h>
#include <stdexcept>

namespace portico::identity
{

namespace
{
constexpr std::string_view usageJob = "identity.key-usage";
constexpr auto usageInterval = std::chrono::minutes(1);
} // namespace

IdentityPlugin::IdentityPlugin(Context& context)
    : _context(context),
      _settings(context.config()),
      _changes(context.database(), context.state()),
      _catalog(context.database(), _changes),
      _keyRing(context.database(), _changes, context.clock()),
      _keyUsage(context.database()),
      _authenticator(context.database(), context.clock()),
      _throttle(context.state(), _settings, context.clock()),
      _families(context.database(), _keyRing, context.clock()),
      _issuer(context.database(), _keyRing, _settings, context.clock(), context.host().origin),
      _signIns(context.database(), _catalog, _families, _issuer, _audit, _settings, context.clock()),
      _cookies(context.host(), _catalog),
      _keys({context.database(), _changes, _catalog, context.state(), _audit, _settings, context.clock()}),
      _credentials({context.database(), _changes, _catalog, _keyRing, _keyUsage, context.state(), context.clock(), context.host().origin}),
      _registry(_changes, _settings, context.clock()),
      _accounts(_changes, _catalog, _audit, _settings, context.clock()),
      _members(context.database()),
      _tokenRoutes(_keyRing),
      _loginRoutes({context.database(), _catalog, _signIns, _authenticator, _throttle, _cookies, _audit, context.clock()}),
      _sessionRoutes({context.database(), _changes, _catalog, _families, _signIns, _issuer, _authenticator, _throttle, context.mailer(),
                      _cookies, _audit, _settings, context.clock()}),
      _logoutRoutes(
          {context.database(), _changes, _families, _keyRing, context.state(), _cookies, _audit, context.clock(), context.host().origin}),
      _meRoutes(context.database(), _changes, context.clock()),
      _validateRoutes(_credentials, _catalog),
      _catalogRoutes(_catalog),
      _keyRoutes(_keys)
{
}

void IdentityPlugin::start()
{
    if (sodium_init() < 0) throw std::runtime_error("libsodium could not be prepared: the system's random source is missing");
    _keyRing.prepare();
    _context.jobs().handle(usageJob, [this](const Job&) { _keyUsage.flush(); });
    _context.jobs().every(usageJob, usageInterval);
    _context.services().provide<interfaces::Credentials>(_credentials);
    _context.services().provide<interfaces::ServiceRegistry>(_registry);
    _context.services().provide<interfaces::Accounts>(_accounts);
    _context.services().provide<interfaces::Directory>(_members);
}

void IdentityPlugin::declare(Routes& routes)
{
    _tokenRoutes.declare(routes);
    _loginRoutes.declare(routes);
    _sessionRoutes.declare(routes);
    _logoutRoutes.declare(routes);
    _meRoutes.declare(routes);
    _validateRoutes.declare(routes);
    _catalogRoutes.declare(routes);
    _keyRoutes.declare(routes);
}

void IdentityPlugin::stop() noexcept
{
    try
    {
        _keyUsage.flush();
    }
    catch (const std::exception& error)
    {
        _context.logger().warning("The last uses of API keys were not written", {{"error", error.what()}});
    }
}

} // namespace portico::identity
