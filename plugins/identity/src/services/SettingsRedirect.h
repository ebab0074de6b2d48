#pragma once

#include "common/Core.h"
#include "sessions/Cookies.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// `/settings`, and the address alone: identity owns what is set there, the administration's app shows it. Thread-safe.
class SettingsRedirect
{
public:
    explicit SettingsRedirect(Core& core) : _core(core), _cookies(core) {}
    void declare(Routes& routes);
    /// There, whether or not something answers; who has no sign-in at identity's own origin signs in first.
    Redirect go(const Request& request) const;

private:
    bool signedIn(const Request& request) const;
    std::string adminApp() const;
    Core& _core;
    Cookies _cookies;
};

} // namespace portico::identity
