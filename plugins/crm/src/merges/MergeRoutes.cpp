#include "merges/MergeRoutes.h"

#include "merges/DuplicateList.h"

namespace portico::crm
{

void MergeRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto writes = access::bearerOrKey("contacts:write", "contacts.write");
    routes.get("/api/contacts/duplicates", reads, &MergeRoutes::list, this, {.summary = "List possible duplicates"})
        .post("/api/contacts/duplicates/dismiss", writes, &MergeService::dismiss, &_service,
              {.summary = "Dismiss duplicates", .idempotencyKey = false})
        .del("/api/contacts/duplicates/dismiss", writes, &MergeService::undismiss, &_service, {.summary = "Restore dismissed duplicates"})
        .get("/api/contacts/merges", reads, &MergeService::list, &_service, {.summary = "List merges, newest first"})
        .post("/api/contacts/{id}/merge", writes, &MergeService::merge, &_service, {.summary = "Merge other contacts into this one"})
        .post("/api/contacts/merges/{mergeId}/undo", writes, &MergeService::undo, &_service,
              {.summary = "Undo a merge", .idempotencyKey = false, .problems = {"409 conflict"}});
}

Page<DuplicatePair> MergeRoutes::list(const Caller& caller, const Query<DuplicateFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto snapshot = _context.database().snapshot();
    return listDuplicates(snapshot, tenant, *filter, paging);
}

} // namespace portico::crm
