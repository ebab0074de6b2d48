#pragma once

#include "pages/Pages.h"

#include "portico/Problem.h"

namespace portico::calendar
{

/// What somebody sees in place of a page that cannot be shown. One of the first six is true.
struct ProblemView
{
    bool notFound = false;
    /// A guest's own link, which is not whole or not right.
    bool noBooking = false;
    bool gone = false;
    bool tooMany = false;
    bool notFramed = false;
    bool failed = false;
    /// The host's list; empty where there is none to go to.
    std::string onwardUrl;
};

constexpr auto schemaOf(const ProblemView*)
{
    return describe(members<&ProblemView::notFound, &ProblemView::noBooking, &ProblemView::gone, &ProblemView::tooMany,
                            &ProblemView::notFramed, &ProblemView::failed, &ProblemView::onwardUrl>());
}

/// Problems as pages. Lives no longer than the Pages. Thread-safe.
class ProblemPage
{
public:
    explicit ProblemPage(const Pages& pages) : _page(pages.bind<ProblemView>("problem")) {}

    /// With the status of the problem, and its Retry-After.
    Response render(const Request& request, const Problem& problem, const std::string& onwardUrl = {}) const;
    /// What the function answers, or the page of the Problem that it throws; those of 500 and above pass.
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
