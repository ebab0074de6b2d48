#pragma once

#include "common/Core.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// Redirects `/settings` and `/` to the administration's app, which shows identity's settings. Thread-safe.
class SettingsRedirect
{
public:
    explicit SettingsRedirect(Core& core) : _core(core) {}
    void declare(Routes& routes);
    /// Redirects to the app without checking that it is available. Signed-out users sign in first.
    Redirect go(const Request& request) const;

private:
    bool signedIn(const Request& request) const;
    std::string adminApp() const;
    Core& _core;
};

} // namespace portico::identity
