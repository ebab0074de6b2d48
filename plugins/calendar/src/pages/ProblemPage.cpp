#include "pages/ProblemPage.h"

namespace portico::calendar
{

Response ProblemPage::render(const Request& request, const Problem& problem, const std::string& onwardUrl) const
{
    ProblemView view;
    view.noBooking = problem.status() == 404 && request.path.starts_with("/public/bookings/");
    view.notFound = problem.status() == 404 && !view.noBooking;
    view.gone = problem.status() == 410;
    view.tooMany = problem.status() == 429;
    view.notFramed = problem.code() == "origin_not_allowed";
    view.failed = !view.notFound && !view.noBooking && !view.gone && !view.tooMany && !view.notFramed;
    if (view.gone) view.onwardUrl = onwardUrl;
    PublicPageOptions options;
    options.status = problem.status();
    return withRetryAfter(_page.render(request, view, options), problem);
}

} // namespace portico::calendar
