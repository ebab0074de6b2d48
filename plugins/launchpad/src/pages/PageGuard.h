#pragma once

#include "onboarding/OnboardingRoutes.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <optional>

namespace portico::launchpad
{

/// Redirects of the pages (2.14): to `/onboarding` until the first steps are done, to `/dashboard` afterwards. Thread-safe.
class PageGuard
{
public:
    PageGuard(PluginContext& context, const OnboardingRoutes& onboarding) : _context(context), _onboarding(onboarding) {}
    void declare(Routes& routes);

    /// Without a valid cookie the page is served: the cookie is missing after a link from another site, and the page signs in silently.
    std::optional<Redirect> guard(const Request& request) const;

private:
    PluginContext& _context;
    const OnboardingRoutes& _onboarding;
};

} // namespace portico::launchpad
