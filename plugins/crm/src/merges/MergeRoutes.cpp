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
        .post("/api/contacts/duplicates/dismiss", writes, &MergeService::dismiss, &_service,
              {.summary = "Say that contacts are not the same: suggested no more until one of them changes what they share",
               .idempotencyKey = false})
        .del("/api/contacts/duplicates/dismiss", writes, &MergeService::undismiss, &_service,
             {.summary = "Suggest contacts again that were said not to be the same"})
        .get("/api/contacts/merges", reads, &MergeService::list, &_service,
             {.summary = "List the merges that can be undone, the last one first"})
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
