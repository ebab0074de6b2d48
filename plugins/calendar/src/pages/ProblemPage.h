#pragma once

#include "pages/Pages.h"

#include "portico/Problem.h"

namespace portico::calendar
{

/// Error page. One of the first six members is true.
struct ProblemView
{
    bool notFound = false;
    /// A guest's link that is incomplete or invalid.
    bool noBooking = false;
    bool gone = false;
    bool tooMany = false;
    bool notFramed = false;
    bool failed = false;
    /// List of the host's event types; empty if there is none to link.
    std::string onwardUrl;
};

constexpr auto schemaOf(const ProblemView*)
{
    return describe(members<&ProblemView::notFound, &ProblemView::noBooking, &ProblemView::gone, &ProblemView::tooMany,
                            &ProblemView::notFramed, &ProblemView::failed, &ProblemView::onwardUrl>());
}

/// Renders problems as pages. Must not outlive the Pages. Thread-safe.
class ProblemPage
{
public:
    explicit ProblemPage(const Pages& pages) : _page(pages.bind<ProblemView>("problem")) {}

    /// Renders the page with the status of the problem and its Retry-After.
    Response render(const Request& request, const Problem& problem, const std::string& onwardUrl = {}) const;
    /// Returns the function's response, or the page of the Problem that it throws. Rethrows problems from 500 on.
    template <class F>
    Response orPage(const Request& request, F&& function, const std::string& onwardUrl = {}) const
    {
        try
        {
            return function();
        }
        catch (const Problem& problem)
        {
            if (problem.status() >= 500) throw;
            return render(request, problem, onwardUrl);
        }
    }

private:
    PublicPage<ProblemView> _page;
};

} // namespace portico::calendar
