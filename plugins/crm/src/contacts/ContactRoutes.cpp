#include "contacts/ContactRoutes.h"

#include "Rights.h"
#include "notes/Note.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// Whoever reads contacts need not be one who reads what hangs on them: each part is asked for by the right to its own route.
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

ContactRoutes::ContactRoutes(PluginContext& context, const ContactStore& store, ContactService& service, const AttachmentStore& attachments,
                             const HistoryStore& history)
    : _context(context), _store(store), _service(service), _attachments(attachments), _history(history)
{
}

void ContactRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("contacts:read", "contacts.read");
    const auto writes = access::bearerOrKey("contacts:write", "contacts.write");
    constexpr std::uint64_t bodyLimit = 1024 * 1024;
    routes.get("/api/contacts", reads, &ContactRoutes::list, this, {.summary = "Find contacts"})
        .post("/api/contacts", writes, &ContactRoutes::create, this,
              {.summary = "Create a contact", .bodyLimit = bodyLimit, .problems = {"400 duplicate_contact"}})
        .get("/api/contacts/{id}", reads, &ContactRoutes::show, this, {.summary = "Read a contact", .execution = Execution::ShortRead})
        .put("/api/contacts/{id}", writes, &ContactRoutes::update, this,
             {.summary = "Change a contact", .bodyLimit = bodyLimit, .problems = {"412 version_conflict"}})
        .del("/api/contacts/{id}", writes, &ContactRoutes::remove, this,
             {.summary = "Delete a contact", .problems = {"403 bearer_required", "412 version_conflict"}})
        .post("/api/contacts/{id}/restore", writes, &ContactRoutes::restore, this,
              {.summary = "Restore a deleted contact", .idempotencyKey = false, .problems = {"409 conflict"}});
}

Page<ContactView> ContactRoutes::list(const Caller& caller, const Query<ContactFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    return listContacts(session, _store.text(), tenant, *filter, paging, _service.listSettings());
}

Created<Contact> ContactRoutes::create(const Caller& caller, const Query<CreateOptions>& options, const Body<Contact>& body)
{
    return _service.create(caller, options->onDuplicate, *body);
}

ContactView ContactRoutes::show(const Caller& caller, const Path<ContactId>& id, const Query<ShowOptions>& options) const
{
    const auto tenant = caller.tenant();
    const auto& include = options->include;
    for (const auto part : include) requirePart(caller, part);
    auto session = _context.database().session();
    auto contact = _store.view(session, tenant, *id);
    if (!contact) throw Problem::notFound();
    const auto wants = [&](ContactInclude what) { return std::find(include.begin(), include.end(), what) != include.end(); };
    if (wants(ContactInclude::Notes)) contact->notes = listNotes(session, caller.tenant(), *id, NoteSort::CreatedAtDescending, {}).items;
    if (wants(ContactInclude::Attachments)) contact->attachments = _attachments.firstPage(session, tenant, *id);
    if (wants(ContactInclude::History)) contact->history = _history.firstPage(session, caller, *id);
    return *std::move(contact);
}

Contact ContactRoutes::update(const Caller& caller, const Path<ContactId>& id, const Body<Patch<Contact>>& body, const IfMatch& ifMatch)
{
    return _service.update(caller, *id, *body, ifMatch);
}

DeletedContact ContactRoutes::remove(const Caller& caller, const Path<ContactId>& id, const Query<DeleteOptions>& options,
                                     const IfMatch& ifMatch)
{
    return options->permanent ? _service.purge(caller, *id, ifMatch) : _service.remove(caller, *id, ifMatch);
}

Contact ContactRoutes::restore(const Caller& caller, const Path<ContactId>& id) { return _service.restore(caller, *id); }

} // namespace portico::crm
