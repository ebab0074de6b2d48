#include "marketing/LeadRoutes.h"

namespace portico::launchpad
{

void LeadRoutes::declare(Routes& routes)
{
    routes
        .post("/api/public/waitlist", access::open(), &LeadRoutes::join, this,
              {.summary = "Join the waitlist",
               .problems = {"400 human_verification_failed", "409 challenge_replayed", "428 human_verification_required",
                            "429 rate_limited", "503 validation_unavailable"},
               .statuses = {202}})
        .post("/api/public/demo-bookings", access::open(), &LeadRoutes::requestDemo, this,
              {.summary = "Request a demo or a sales call",
               .problems = {"400 human_verification_failed", "409 challenge_replayed", "409 slot_taken", "428 human_verification_required",
                            "429 rate_limited", "503 calendar_unavailable", "503 validation_unavailable"}})
        .get("/api/public/demo-times", access::open(), &LeadRoutes::times, this, {.summary = "List free times of demos"});
}

Reply<WaitlistAnswer> LeadRoutes::join(const Request& request, const Body<WaitlistInput>& input) const
{
    _leads.join(request, *input);
    return {.record = {}, .status = 202};
}

Created<DemoAnswer> LeadRoutes::requestDemo(const Request& request, const Body<DemoInput>& input) const
{
    const auto demo = _leads.requestDemo(request, *input);
    return Created<DemoAnswer>{{demo.id, demo.status, demo.manageUrl}};
}

DemoTimes LeadRoutes::times(const Request& request) const { return {_calendar.freeTimes(request)}; }

} // namespace portico::launchpad
