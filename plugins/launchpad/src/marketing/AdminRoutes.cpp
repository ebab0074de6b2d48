#include "marketing/AdminRoutes.h"

#include "common/Csv.h"

namespace portico::launchpad
{

namespace
{
Problem invalidTransition(std::string_view before, std::string_view after)
{
    return Problem::conflict("invalid_transition", "The status " + std::string(after) + " does not follow " + std::string(before) + ".");
}

// Checks the session before the ID and the body, so that a caller without a session learns nothing about either.
template <class RecordId>
RecordId known(const std::string& text)
{
    const auto id = RecordId::parse(text);
    if (!id) throw Problem::notFound();
    return *id;
}

template <class Record>
auto statusOf(const Patch<Record>& patch)
{
    if (!patch.has("status")) throw Problem::invalid("status", "required", "Must be present");
    return patch.values().status;
}
} // namespace

void AdminRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> ended = {"401 session_ended"};
    const std::vector<std::string_view> changed = {"401 session_ended", "409 invalid_transition"};
    const auto file = [](std::string_view summary) -> RouteOptions
    { return {.summary = summary, .problems = {"401 session_ended"}, .produces = {"text/csv"}, .statuses = {200}}; };
    routes
        .post("/api/admin-session", access::bearer("marketing:manage").forOperators(), &AdminRoutes::begin, this,
              {.summary = "Create an admin session", .idempotencyKey = false, .statuses = {201}})
        .get("/api/admin-session", access::cookie(), &AdminRoutes::session, this, {.summary = "Read the admin session", .problems = ended})
        .del("/api/admin-session", access::cookie(), &AdminRoutes::end, this, {.summary = "End the admin session", .statuses = {204}})
        .get("/api/admin/waitlist", access::cookie(), &AdminRoutes::waitlist, this,
             {.summary = "List the waitlist, newest first", .problems = ended})
        .get("/api/admin/waitlist.csv", access::cookie(), &AdminRoutes::waitlistFile, this, file("Export the waitlist"))
        .patch("/api/admin/waitlist/{id}", access::cookie(), &AdminRoutes::changeWaitlist, this,
               {.summary = "Set the status of an entry", .problems = changed})
        .get("/api/admin/demo-bookings", access::cookie(), &AdminRoutes::demos, this,
             {.summary = "List demos and requests to sales, newest first", .problems = ended})
        .get("/api/admin/demo-bookings.csv", access::cookie(), &AdminRoutes::demoFile, this, file("Export demos and requests to sales"))
        .patch("/api/admin/demo-bookings/{id}", access::cookie(), &AdminRoutes::changeDemo, this,
               {.summary = "Set the status of a request", .problems = changed});
}

Reply<AdminSessionAnswer> AdminRoutes::begin(const Caller& caller) const
{
    auto made = _sessions.begin(caller);
    return {.record = {made.expiresAt, {caller.principalId, caller.displayName}}, .status = 201, .cookies = {std::move(made.cookie)}};
}

AdminSessionAnswer AdminRoutes::session(const Request& request) const
{
    const auto person = _sessions.require(request);
    return {_sessions.expiry(request), {person->principalId, person->displayName}};
}

Response AdminRoutes::end(const Request& request) const
{
    Response response;
    response.status = 204;
    response.addCookie(_sessions.end(request));
    return response;
}

Page<WaitlistEntry> AdminRoutes::waitlist(const Request& request, const Query<WaitlistFilter>& filter, const Paging& paging) const
{
    _sessions.require(request);
    auto session = _context.database().session();
    auto select = waitlistTable.select(installation);
    if (!filter->status.empty()) select.whereIn(&WaitlistEntry::status, filter->status);
    return select.orderBy(descending(&WaitlistEntry::createdAt)).page(session, paging);
}

Page<DemoBooking> AdminRoutes::demos(const Request& request, const Query<DemoFilter>& filter, const Paging& paging) const
{
    _sessions.require(request);
    auto session = _context.database().session();
    auto select = demoTable.select(installation);
    if (!filter->status.empty()) select.whereIn(&DemoBooking::status, filter->status);
    return select.orderBy(descending(&DemoBooking::createdAt)).page(session, paging);
}

WaitlistEntry AdminRoutes::setStatus(const WaitlistId& id, WaitlistStatus status, const IfMatch& ifMatch) const
{
    const Stamp stamp{_context.clock().now(), {}};
    const auto edit = [&](WaitlistEntry& entry)
    {
        if (entry.status != status && !follows(status, entry.status)) throw invalidTransition(toString(entry.status), toString(status));
        entry.status = status;
    };
    return _context.database().transact([&](Transaction& transaction) -> WaitlistEntry
                                        { return waitlistTable.change(transaction, installation, id, ifMatch, stamp, edit); });
}

DemoBooking AdminRoutes::setStatus(const DemoId& id, DemoStatus status, const IfMatch& ifMatch) const
{
    const Stamp stamp{_context.clock().now(), {}};
    const auto edit = [&](DemoBooking& demo)
    {
        if (demo.status != status && !follows(status, demo.status)) throw invalidTransition(toString(demo.status), toString(status));
        demo.status = status;
    };
    return _context.database().transact([&](Transaction& transaction) -> DemoBooking
                                        { return demoTable.change(transaction, installation, id, ifMatch, stamp, edit); });
}

WaitlistEntry AdminRoutes::changeWaitlist(const Request& request, const Path<std::string>& id, const Body<Patch<WaitlistPatch>>& patch,
                                          const IfMatch& ifMatch) const
{
    _sessions.require(request);
    return setStatus(known<WaitlistId>(*id), statusOf(*patch), ifMatch);
}

DemoBooking AdminRoutes::changeDemo(const Request& request, const Path<std::string>& id, const Body<Patch<DemoPatch>>& patch,
                                    const IfMatch& ifMatch) const
{
    _sessions.require(request);
    return setStatus(known<DemoId>(*id), statusOf(*patch), ifMatch);
}

Response AdminRoutes::waitlistFile(const Request& request) const
{
    _sessions.require(request);
    auto session = _context.database().session();
    std::string file;
    addCsvRow(file, {"id", "email", "name", "company", "interest", "source", "locale", "status", "createdAt"});
    for (const auto& each : waitlistTable.select(installation).orderBy(&WaitlistEntry::createdAt).all(session))
        addCsvRow(file, {each.id.text(), each.email, each.name, each.company, each.interest, each.source, each.locale,
                         toString(each.status), toString(each.createdAt)});
    return csvFile(std::move(file), "waitlist.csv");
}

Response AdminRoutes::demoFile(const Request& request) const
{
    _sessions.require(request);
    auto session = _context.database().session();
    std::string file;
    addCsvRow(file, {"id", "name", "email", "company", "teamSize", "package", "status", "slotStart", "slotTimezone", "message", "locale",
                     "createdAt"});
    for (const auto& each : demoTable.select(installation).orderBy(&DemoBooking::createdAt).all(session))
        addCsvRow(file,
                  {each.id.text(), each.name, each.email, each.company, each.teamSize ? std::to_string(*each.teamSize) : "",
                   each.package ? toString(*each.package) : "", toString(each.status), each.slotStart ? toString(*each.slotStart) : "",
                   each.slotTimezone, each.message, each.locale, toString(each.createdAt)});
    return csvFile(std::move(file), "demo-bookings.csv");
}

} // namespace portico::launchpad
