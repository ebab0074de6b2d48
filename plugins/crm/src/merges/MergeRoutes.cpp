#include "merges/MergeRoutes.h"

#include "merges/DuplicateList.h"

namespace portico::crm
{

void MergeRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto writes = access::bearerOrKey("contacts:write", "contacts.write");
    routes
        .get("/api/contacts/duplicates", reads, &MergeRoutes::list, this,
             {.summary = "Find contacts that may be the same; a page may be short, or empty, and yet have a cursor"})
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
