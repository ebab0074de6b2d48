#include "eventtypes/EventTypeRoutes.h"

#include "records/Schedule.h"
#include "service/AdminRoutes.h"
#include "service/Live.h"
#include "service/Urls.h"

#include "portico/CrossOrigin.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::int64_t maxEventTypes = 100;

/// Checks references to other records: the slug is unique for the host, the schedule belongs to the host. @throws Problem 409, 400
void checkOthers(Transaction& transaction, Tenant tenant, const EventType& type)
{
    if (eventTypeTable.select(tenant)
            .where(&EventType::hostId, type.hostId)
            .where(&EventType::slug, type.slug)
            .where("id <> ?", type.eventTypeId)
            .exists(transaction))
        throw Problem::conflict("slug_in_use", "Another event type of the host has this slug.");
    if (type.scheduleId && !scheduleTable.exists(transaction, tenant, type.hostId, *type.scheduleId))
        throw Problem::invalid("scheduleId", "not_found", "The host has no such schedule");
}

/// Guests are led to pages only that the operator knows. @throws Problem 400
void checkRedirect(const std::vector<std::string>& allowed, const std::string& url)
{
    if (!url.empty() && std::ranges::find(allowed, normalOrigin(originOf(url))) == allowed.end())
        throw Problem::invalid("redirectUrl", "origin_not_allowed",
                               "The operator has not put this origin into the manifest's embedOrigins.");
}

/// A meeting by link has one. @throws Problem 400
void checkLink(const EventType& type)
{
    if (type.meetingKind == MeetingKind::ExternalLink && type.meetingDetails.empty())
        throw Problem::invalid("meetingDetails", "required", "A meeting by link has an https address.");
}
} // namespace

void EventTypeRoutes::declare(Routes& routes)
{
    constexpr std::string_view types = "/event-types", type = "/event-types/{eventTypeId}";
    AdminRoutes(routes, "event_types:read", "event_types.read")
        .get(types, &EventTypeRoutes::list, this, {.summary = "List the event types of a host"})
        .get(type, &EventTypeRoutes::show, this, {.summary = "Read an event type"});
    AdminRoutes(routes, "event_types:write", "event_types.write")
        .post(types, &EventTypeRoutes::create, this, {.summary = "Create an event type", .problems = {"409 slug_in_use"}})
        .put(type, &EventTypeRoutes::update, this, {.summary = "Change an event type", .problems = {"409 slug_in_use"}})
        .del(type, &EventTypeRoutes::remove, this, {.summary = "Delete an event type and keep its bookings"});
}

Page<EventType> EventTypeRoutes::list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const
{
    auto session = _context.database().session();
    const auto host = requireHost(session, caller, *choice);
    return eventTypeTable.select(caller.tenant())
        .where(&EventType::hostId, host.hostId)
        .orderBy(&EventType::createdAt)
        .page(session, paging);
}

Created<EventType> EventTypeRoutes::create(const Caller& caller, const Query<HostChoice>& choice, const Body<EventType>& body)
{
    const auto tenant = caller.tenant();
    if (!body->redirectUrl.empty()) checkRedirect(_origins.allowed(), body->redirectUrl);
    checkLink(*body);
    return transactLive(_context, tenant, "calendar.event_types",
                        [&](Transaction& transaction) -> Created<EventType>
                        {
                            // Locked, so that of two with one slug the second sees the first.
                            const auto host = requireHostForUpdate(transaction, caller, *choice);
                            if (eventTypeTable.select(tenant).where(&EventType::hostId, host.hostId).count(transaction) >= maxEventTypes)
                                throw Problem::invalid("", "limit_reached",
                                                       "A host has at most " + std::to_string(maxEventTypes) + " event types");
                            EventType type = *body;
                            type.hostId = host.hostId;
                            type = eventTypeTable.stamped(type, {_context.clock().now()});
                            checkOthers(transaction, tenant, type);
                            eventTypeTable.insert(transaction, tenant, type);
                            return {type, pathFor(caller, "/event-types/" + type.eventTypeId.text())};
                        });
}

EventType EventTypeRoutes::show(const Caller& caller, const Path<EventTypeId>& id, const Query<HostChoice>& choice) const
{
    auto session = _context.database().session();
    const auto host = requireHost(session, caller, *choice);
    return eventTypeTable.require(session, caller.tenant(), host.hostId, *id);
}

EventType EventTypeRoutes::update(const Caller& caller, const Path<EventTypeId>& id, const Query<HostChoice>& choice,
                                  const Body<Patch<EventType>>& body, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    // Asks the other plugin before the transaction, so that the transaction does not wait for it.
    const auto allowed = body->has("redirectUrl") ? _origins.allowed() : std::vector<std::string>();
    return transactLive(_context, tenant, "calendar.event_types",
                        [&](Transaction& transaction)
                        {
                            const auto host = requireHostForUpdate(transaction, caller, *choice);
                            const auto edit = [&](EventType& type)
                            {
                                const auto before = type.redirectUrl;
                                body->applyTo(type);
                                if (body->has("meetingKind") || body->has("meetingDetails")) checkLink(type);
                                if (type.redirectUrl != before) checkRedirect(allowed, type.redirectUrl);
                                checkOthers(transaction, tenant, type);
                            };
                            return eventTypeTable.change(transaction, tenant, host.hostId, *id, ifMatch, {_context.clock().now()}, edit);
                        });
}

Deleted<EventTypeId, "eventTypeId"> EventTypeRoutes::remove(const Caller& caller, const Path<EventTypeId>& id,
                                                            const Query<HostChoice>& choice, const IfMatch& ifMatch)
{
    return transactLive(
        _context, caller.tenant(), "calendar.event_types", [&](Transaction & transaction) -> Deleted<EventTypeId, "eventTypeId"> {
            const auto host = requireHostForUpdate(transaction, caller, *choice);
            eventTypeTable.remove(transaction, caller.tenant(), host.hostId, *id, ifMatch);
            return {*id};
        });
}

} // namespace portico::calendar
