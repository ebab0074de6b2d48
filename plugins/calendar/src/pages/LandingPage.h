#pragma once

#include "hosttime/BookingTools.h"
#include "pages/Pages.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

struct LandingAction
{
    std::string label;
    std::string href;
};

constexpr auto schemaOf(const LandingAction*) { return describe(members<&LandingAction::label, &LandingAction::href>()); }

/// Introduction of the service for visitors, from the registered manifest (`landing`).
struct Landing
{
    std::string headline;
    std::string sub;
    std::vector<LandingAction> ctas;
};

constexpr auto schemaOf(const Landing*) { return describe(members<&Landing::headline, &Landing::sub, &Landing::ctas>()); }

/// Serves the public root `/`. Asks the registry at most once a minute. Thread-safe.
class LandingPage
{
public:
    LandingPage(const BookingTools& tools, const Pages& pages) : _tools(tools), _page(pages.bind<Landing>("landing")) {}
    void declare(Routes& routes);

    Response show(const Request& request, const RawQuery& query) const;

private:
    Landing current() const;

    const BookingTools& _tools;
    PublicPage<Landing> _page;
    mutable std::mutex _mutex;
    mutable std::optional<Landing> _known;
    mutable Instant _knownSince{};
};

} // namespace portico::calendar
