#include "merges/MergeRoutes.h"

#include "merges/DuplicateList.h"

namespace portico::crm
{

MergeRoutes::MergeRoutes(PluginContext& context, const ContactStore& contacts, MergeService& service)
    : _context(context), _contacts(contacts), _service(service)
{
}

void MergeRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto writes = access::bearerOrKey("contacts:write", "contacts.write");
    routes
        .get("/api/contacts/duplicates", reads, &MergeRoutes::list, this,
             {.summary = "Find contacts that may be the same; a page may be short, or empty, and yet have a cursor"})
        .post("/api/contacts/{id}/merge", writes, &MergeRoutes::merge, this,
              {.summary = "Merge other contacts into this one", .problems = {"412 version_conflict"}})
        .post("/api/contacts/merges/{mergeId}/undo", writes, &MergeRoutes::undo, this,
              {.summary = "Undo a merge", .idempotencyKey = false, .problems = {"409 conflict"}});
}

Page<DuplicatePair> MergeRoutes::list(const Caller& caller, const Query<DuplicateFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto snapshot = _context.database().snapshot();
    return listDuplicates(snapshot, _contacts, tenant, *filter, paging);
}

MergeResult MergeRoutes::merge(const Caller& caller, const Path<ContactId>& id, const Body<MergeInput>& body, const IfMatch& ifMatch)
{
    return _service.merge(caller, *id, *body, ifMatch);
}

UndoneMerge MergeRoutes::undo(const Caller& caller, const Path<MergeId>& id) { return _service.undo(caller, *id); }

} // namespace portico::crm
