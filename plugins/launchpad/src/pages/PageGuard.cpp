#include "pages/PageGuard.h"

#include "common/SignedIn.h"

#include "portico/Problem.h"

#include <string_view>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view firstSteps = "/onboarding";
}

void PageGuard::declare(Routes& routes) { routes.guardPages(&PageGuard::guard, this); }

std::optional<Redirect> PageGuard::guard(const Request& request) const
{
    try
    {
        const auto person = behindCookie(_context, request);
        const auto next = _onboarding.viewOf(*person).next;
        // All other pages require completed onboarding.
        if ((request.path == firstSteps) == (next == firstSteps)) return std::nullopt;
        return Redirect{next};
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

} // namespace portico::launchpad
