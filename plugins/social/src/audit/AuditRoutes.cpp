#include "audit/AuditRoutes.h"

namespace portico::social
{

void AuditRoutes::declare(Routes& routes)
{
    routes
        .get("/api/content-ops/events", access::bearerOrKey("content:read", "analytics.read").bindInHandler(brandResource),
             &AuditRoutes::list, this,
             {.summary = "List the audit events of a brand", .problems = {"400 brand_required", "400 brand_mismatch"}})
        .get("/api/content-ops/events/verify", access::bearer("content:approve"), &AuditRoutes::verify, this,
             {.summary = "Verify the chain of audit events of a brand",
              .execution = Execution::Long,
              .problems = {"400 brand_required", "400 brand_mismatch"}});
}

Page<AuditEvent> AuditRoutes::list(const Caller& caller, const BrandHeader& brand, const Query<EventFilter>& filter,
                                   const Paging& paging) const
{
    auto session = _context.database().session();
    auto found = auditEventTable.select(caller.tenant());
    found.where(&AuditEvent::brandId, requireBrand(session, caller, brand, filter->brandId));
    if (filter->contentId) found.where(&AuditEvent::contentId, *filter->contentId);
    if (filter->postId) found.where(&AuditEvent::postId, *filter->postId);
    if (!filter->kind.empty()) found.whereIn(&AuditEvent::kind, filter->kind);
    if (filter->actorId) found.where(&AuditEvent::actorId, *filter->actorId);
    if (filter->occurredFrom) found.where("occurred_at >= ?", *filter->occurredFrom);
    if (filter->occurredTo) found.where("occurred_at < ?", *filter->occurredTo);
    if (filter->sort == EventSort::OccurredAt)
        found.orderBy(&AuditEvent::occurredAt, &AuditEvent::eventId);
    else
        found.orderBy(descending(&AuditEvent::occurredAt), descending(&AuditEvent::eventId));
    return found.page(session, paging);
}

ChainCheck AuditRoutes::verify(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice) const
{
    auto snapshot = _context.database().snapshot();
    return audit::verify(snapshot, caller.tenant(), requireBrand(snapshot, caller, brand, choice->brandId));
}

} // namespace portico::social
