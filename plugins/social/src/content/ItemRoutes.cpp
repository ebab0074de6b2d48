#include "content/ItemRoutes.h"

#include "content/RecordBrand.h"

#include <algorithm>

namespace portico::social
{

void ItemRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("content:read", "posts.read").bindInHandler(brandResource);
    const auto writes = access::bearerOrKey("content:write", "posts.write").bindInHandler(brandResource);
    const auto reschedules = access::bearerOrKey("content:write", "calendar.write").bindInHandler(brandResource);
    const auto approves = access::bearerOrKey("content:approve", "posts.write").bindInHandler(brandResource);
    const std::vector<std::string_view> states{"400 brand_required", "400 brand_mismatch", "409 action_not_allowed"};
    const std::vector<std::string_view> times{"400 brand_required", "400 brand_mismatch", "409 action_not_allowed", "400 in_past",
                                              "400 too_far",        "400 no_slot_plan",   "409 no_free_slot"};
    const std::vector<std::string_view> approvals{"400 brand_required", "400 brand_mismatch",   "400 in_past",
                                                  "400 too_far",        "400 no_slot_plan",     "400 ambiguous_target",
                                                  "409 no_free_slot",   "409 revision_changed", "409 action_not_allowed",
                                                  "403 self_approval"};
    constexpr std::string_view one = "/api/content-ops/items/{contentId}";
    const auto step = [&](std::string_view name) { return std::string(one) + '/' + std::string(name); };
    routes.get(one, reads, &ItemRoutes::show, this, {.summary = "Read an item"})
        .patch(one, writes, &ItemRoutes::change, this, {.summary = "Edit or schedule an item", .bodyLimit = 1024 * 1024, .problems = times})
        .del(one, writes, &ItemRoutes::remove, this, {.summary = "Delete a suggestion", .problems = states})
        .post(step("approve"), approves, &ItemRoutes::approve, this, {.summary = "Approve an item", .problems = approvals})
        .post(step("reject"), approves, &ItemRoutes::reject, this,
              {.summary = "Reject an item", .problems = {"409 revision_changed", "409 action_not_allowed"}})
        .post(step("reschedule"), reschedules, &ItemRoutes::reschedule, this, {.summary = "Reschedule an item", .problems = times})
        .post(step("retry"), writes, &ItemRoutes::retry, this, {.summary = "Publish a failed item again", .problems = states})
        .post(step("submit"), writes, &ItemRoutes::submit, this, {.summary = "Ask for approval", .problems = states})
        .post(step("cancel"), writes, &ItemRoutes::cancel, this, {.summary = "Cancel a queued item", .problems = states})
        .post(step("mark-published"), writes, &ItemRoutes::markPublished, this,
              {.summary = "Mark an item with an unknown outcome as published", .problems = states})
        .post(step("duplicate"), writes, &ItemRoutes::duplicate, this, {.summary = "Copy a suggestion", .problems = states});
}

BrandId ItemRoutes::brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                            const ContentId& id) const
{
    auto session = _context.database().session();
    return brandOfRecord(session, caller, header, query, itemTable, &ContentItem::contentId, id);
}

ItemView ItemRoutes::show(const Caller& caller, const BrandHeader& brand, const Path<ContentId>& id, const Query<OneItemQuery>& query) const
{
    auto session = _context.database().session();
    const auto where = brandOfRecord(session, caller, brand, query->brandId, itemTable, &ContentItem::contentId, *id);
    auto item = itemTable.require(session, caller.tenant(), where, *id);
    if (const auto expired = workflow::expire(item, _context.clock().now()); !expired.refusal) item = expired.item;
    auto view = viewOf(item, rightsOf(caller));
    const auto has = [&](ItemPart part) { return std::ranges::find(query->include, part) != query->include.end(); };
    if (has(ItemPart::Attempts))
        view.attemptList = attemptTable.select(caller.tenant())
                               .where(&PublishAttempt::brandId, where)
                               .where(&PublishAttempt::contentId, *id)
                               .orderBy(&PublishAttempt::number)
                               .all(session);
    if (has(ItemPart::Events))
        view.events = auditEventTable.select(caller.tenant())
                          .where(&AuditEvent::brandId, where)
                          .where(&AuditEvent::contentId, *id)
                          .orderBy(&AuditEvent::occurredAt, &AuditEvent::eventId)
                          .all(session, 500);
    return view;
}

ItemView ItemRoutes::change(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                            const IfMatch& ifMatch, const Body<Patch<ItemView>>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.change(authorOf(request), request.caller->tenant(), where, *id, ifMatch, *body));
}

ItemView ItemRoutes::approve(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                             const IfMatch& ifMatch, const Body<ApproveRequest>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.approve(authorOf(request), request.caller->tenant(), where, *id, ifMatch, *body));
}

ItemView ItemRoutes::reject(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                            const IfMatch& ifMatch, const Body<RejectRequest>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.reject(authorOf(request), request.caller->tenant(), where, *id, ifMatch, *body));
}

ItemView ItemRoutes::reschedule(const Request& request, const BrandHeader& brand, const Path<ContentId>& id,
                                const Query<BrandChoice>& query, const IfMatch& ifMatch, const Body<RescheduleRequest>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.reschedule(authorOf(request), request.caller->tenant(), where, *id, ifMatch, *body));
}

ItemView ItemRoutes::retry(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                           const IfMatch& ifMatch, const Body<RetryRequest>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.retry(authorOf(request), request.caller->tenant(), where, *id, ifMatch, body->confirm));
}

ItemView ItemRoutes::submit(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                            const IfMatch& ifMatch, const Body<EmptyRequest>&)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.submit(authorOf(request), request.caller->tenant(), where, *id, ifMatch));
}

ItemView ItemRoutes::cancel(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                            const IfMatch& ifMatch, const Body<EmptyRequest>&)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.cancel(authorOf(request), request.caller->tenant(), where, *id, ifMatch));
}

ItemView ItemRoutes::markPublished(const Request& request, const BrandHeader& brand, const Path<ContentId>& id,
                                   const Query<BrandChoice>& query, const IfMatch& ifMatch, const Body<MarkPublishedRequest>& body)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    return shown(request, _service.markPublished(authorOf(request), request.caller->tenant(), where, *id, ifMatch, body->platformUrl));
}

Created<ItemView> ItemRoutes::duplicate(const Request& request, const BrandHeader& brand, const Path<ContentId>& id,
                                        const Query<BrandChoice>& query, const Body<EmptyRequest>&)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    const auto copy = _service.duplicate(authorOf(request), request.caller->tenant(), where, *id);
    return {shown(request, copy), "/api/content-ops/items/" + copy.contentId.text()};
}

NoContent ItemRoutes::remove(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                             const IfMatch& ifMatch)
{
    const auto where = brandOf(*request.caller, brand, query->brandId, *id);
    _service.remove(authorOf(request), request.caller->tenant(), where, *id, ifMatch);
    return {};
}

} // namespace portico::social
