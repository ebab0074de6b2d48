#pragma once

#include "providers/IdentityProviderRoutes.h"
#include "providers/LinkedAccountRoutes.h"

namespace portico::identity
{

/// Sign-in through other providers: what the plugin holds of it. Thread-safe.
class ProvidersPart
{
public:
    ProvidersPart(Core& core, const Pages& pages, SignInDesk& desk, LoginPage& loginPage)
        : _connectors(core), _signIns(core, pages, desk, _connectors, loginPage), _links(core, _signIns), _providers(core, _connectors)
    {
    }
    void declare(Routes& routes)
    {
        _signIns.declare(routes);
        _links.declare(routes);
        _providers.declare(routes);
    }

private:
    Connectors _connectors;
    ProviderSignInRoutes _signIns;
    LinkedAccountRoutes _links;
    IdentityProviderRoutes _providers;
};

} // namespace portico::identity
