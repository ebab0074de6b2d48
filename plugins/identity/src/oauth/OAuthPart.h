#pragma once

#include "oauth/AuthorizeRoutes.h"
#include "oauth/ClientRegistrationRoutes.h"
#include "oauth/ClientRoutes.h"
#include "oauth/DeviceRoutes.h"
#include "oauth/LogoutNotices.h"
#include "oauth/ParRoutes.h"
#include "oauth/ProviderRoutes.h"
#include "oauth/TokenRoutes.h"

namespace portico::identity
{

/// The OAuth 2 and OpenID Connect provider: what the plugin holds of it. Thread-safe.
class OAuthPart
{
public:
    OAuthPart(Core& core, const Pages& pages, SignInDesk& desk, interfaces::Credentials& credentials)
        : _authorize(core, pages, desk.signIns()),
          _pushed(core),
          _tokens(core, desk),
          _provider(core, pages, desk),
          _clients(core),
          _registrations(core, credentials),
          _devices(core, pages, desk.signIns()),
          _logoutCalls(core)
    {
    }
    void start() { _logoutCalls.start(); }
    void declare(Routes& routes)
    {
        _authorize.declare(routes);
        _pushed.declare(routes);
        _tokens.declare(routes);
        _provider.declare(routes);
        _registrations.declare(routes);
        _devices.declare(routes);
    }
    /// What organizations manage of it.
    void declareClients(Routes& routes) { _clients.declare(routes); }

private:
    AuthorizeRoutes _authorize;
    ParRoutes _pushed;
    TokenRoutes _tokens;
    ProviderRoutes _provider;
    ClientRoutes _clients;
    ClientRegistrationRoutes _registrations;
    DeviceRoutes _devices;
    LogoutCalls _logoutCalls;
};

} // namespace portico::identity
