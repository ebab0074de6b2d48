#include "notes/NoteRoutes.h"

#include "records/ContactView.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

/// Data of `crm.note.*`.
struct NoteEvent
{
    NoteId noteId;
    ContactId contactId;
    std::string organizationId;
};

constexpr auto schemaOf(const NoteEvent*)
{
    return describe(members<&NoteEvent::noteId, &NoteEvent::contactId, &NoteEvent::organizationId>());
}

/// Writes the event `crm.note.<what>` in the transaction of the change.
void publishNote(Events& events, Session& session, std::string_view what, Tenant tenant, const NoteId& note, const ContactId& contact)
{
    events.publish(session, "crm.note." + std::string(what), tenant.text(), toJson(NoteEvent{note, contact, std::string(tenant.text())}));
}

} // namespace

void NoteRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("notes:read", "notes.read");
    const auto writes = access::bearerOrKey("notes:write", "notes.write");
    constexpr std::string_view notes = "/api/contacts/{id}/notes", note = "/api/contacts/{contactId}/notes/{noteId}";
    routes.get(notes, reads, &NoteRoutes::list, this, {.summary = "List the notes of a contact"})
        .post(notes, writes, &NoteRoutes::create, this, {.summary = "Write a note"})
        .get(note, reads, &NoteRoutes::show, this, {.summary = "Read a note"})
        .put(note, writes, &NoteRoutes::update, this, {.summary = "Change a note"})
        .del(note, writes, &NoteRoutes::remove, this, {.summary = "Delete a note"});
}

Page<Note> NoteRoutes::list(const Caller& caller, const Path<ContactId>& id, const Query<NoteFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    requireContact(session, tenant, *id);
    return listNotes(session, tenant, *id, filter->sort, paging);
}

Created<Note> NoteRoutes::create(const Caller& caller, const Path<ContactId>& id, const Body<Note>& body)
{
    const auto tenant = caller.tenant();
    Note note = noteTable.stamped(*body, {_context.clock().now(), caller.principalId});
    note.contactId = *id;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (!addNote(transaction, tenant, note)) throw Problem::notFound();
            publishNote(_context.events(), transaction, "created", tenant, note.noteId, note.contactId);
        });
    return {note, "/api/contacts/" + id->text() + "/notes/" + note.noteId.text()};
}

Note NoteRoutes::show(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId) const
{
    auto session = _context.database().session();
    return noteTable.require(session, caller.tenant(), *contactId, *noteId);
}

Note NoteRoutes::update(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const Body<Patch<Note>>& body,
                        const IfMatch& ifMatch)
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const Stamp stamp{_context.clock().now(), caller.principalId};
            Note note = noteTable.change(transaction, caller.tenant(), *contactId, *noteId, ifMatch, stamp, *body);
            publishNote(_context.events(), transaction, "updated", caller.tenant(), *noteId, *contactId);
            return note;
        });
}

Deleted<NoteId> NoteRoutes::remove(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId,
                                   const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            noteTable.remove(transaction, tenant, *contactId, *noteId, ifMatch);
            transaction.execute("UPDATE contact SET note_count = note_count - 1 WHERE organization_id = $1 AND id = $2", tenant,
                                *contactId);
            publishNote(_context.events(), transaction, "deleted", tenant, *noteId, *contactId);
            return Deleted{*noteId};
        });
}

} // namespace portico::crm
