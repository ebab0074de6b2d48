#include "contacts/ContactRoutes.h"

#include "Rights.h"
#include "contacts/ContactParts.h"

namespace portico::crm
{

namespace
{

/// Requires the right to read the included part, which may differ from the right to read contacts.
void requirePart(const Caller& caller, ContactInclude part)
{
    switch (part)
    {
    case ContactInclude::Notes:
        return requireRight(caller, "crm.notes:read", "notes.read");
    case ContactInclude::Attachments:
        return requireRight(caller, "crm.attachments:read", "attachments.read");
    case ContactInclude::History:
        return requireRight(caller, "crm.pipeline:read", "pipeline.read");
    }
}

} // namespace

void ContactRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto writes = access::bearerOrKey("contacts:write", "contacts.write");
    constexpr std::uint64_t bodyLimit = 1024 * 1024;
    routes.get("/api/contacts", reads, &ContactRoutes::list, this, {.summary = "List contacts"})
        .post("/api/contacts", writes, &ContactService::create, &_service,
              {.summary = "Create a contact", .bodyLimit = bodyLimit, .problems = {"400 duplicate_contact"}, .statuses = {201, 200}})
        .get("/api/contacts/{id}", reads, &ContactRoutes::show, this, {.summary = "Read a contact", .execution = Execution::ShortRead})
        .put("/api/contacts/{id}", writes, &ContactService::update, &_service, {.summary = "Change a contact", .bodyLimit = bodyLimit})
        .del("/api/contacts/{id}", writes, &ContactService::remove, &_service,
             {.summary = "Delete a contact", .problems = {"403 bearer_required"}})
        .post("/api/contacts/{id}/restore", writes, &ContactService::restore, &_service,
              {.summary = "Restore a deleted contact", .idempotencyKey = false, .problems = {"409 conflict"}});
}

Page<ContactView> ContactRoutes::list(const Caller& caller, const Query<ContactFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    return listContacts(session, tenant, *filter, paging, _service.listSettings());
}

ContactView ContactRoutes::show(const Caller& caller, const Path<ContactId>& id, const Query<ShowOptions>& options) const
{
    const auto tenant = caller.tenant();
    for (const auto part : options->include) requirePart(caller, part);
    auto session = _context.database().session();
    return options->include.empty() ? readContact(session, tenant, *id) : contactWithParts(session, caller, *id, options->include);
}

} // namespace portico::crm
