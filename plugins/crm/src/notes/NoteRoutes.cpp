#include "notes/NoteRoutes.h"

#include "portico/Json.h"

namespace portico::crm
{

NoteRoutes::NoteRoutes(Context& context, const ContactStore& contacts, const NoteStore& notes)
    : _context(context), _contacts(contacts), _notes(notes)
{
}

void NoteRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("notes:read", "notes.read");
    const auto writes = access::bearerOrKey("notes:write", "notes.write");
    constexpr std::string_view notes = "/api/contacts/{id}/notes", note = "/api/contacts/{contactId}/notes/{noteId}";
    routes.get(notes, reads, &NoteRoutes::list, this, {.summary = "List the notes of a contact"})
        .post(notes, writes, &NoteRoutes::create, this, {.summary = "Write a note"})
        .get(note, reads, &NoteRoutes::show, this, {.summary = "Read a note"})
        .put(note, writes, &NoteRoutes::update, this, {.summary = "Change a note", .problems = {"412 version_conflict"}})
        .del(note, writes, &NoteRoutes::remove, this, {.summary = "Delete a note", .problems = {"412 version_conflict"}});
}

Page<Note> NoteRoutes::list(const Caller& caller, const Path<ContactId>& id, const Query<NoteFilter>& filter, const Paging& paging) const
{
    const auto& organization = caller.organizationId();
    auto session = _context.database().session();
    if (!_contacts.exists(session, organization, *id)) throw Problem::notFound();
    return _notes.list(session, organization, *id, filter->sort, paging);
}

Created<Note> NoteRoutes::create(const Caller& caller, const Path<ContactId>& id, const Body<Note>& body)
{
    const auto& organization = caller.organizationId();
    Note note = *body;
    note.createdAt = note.updatedAt = _context.clock().now();
    note.createdBy = note.updatedBy = caller.principalId;
    note.noteId = NoteId::make(note.createdAt);
    note.contactId = *id;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (!_notes.insert(transaction, organization, note)) throw Problem::notFound();
            _context.events().publish(transaction, "crm.note.created", organization,
                                      toJson(NoteEvent{note.noteId, note.contactId, organization}));
        });
    return {note, "/api/contacts/" + id->text() + "/notes/" + note.noteId.text()};
}

Note NoteRoutes::show(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId) const
{
    const auto& organization = caller.organizationId();
    auto session = _context.database().session();
    auto note = _notes.find(session, organization, *contactId, *noteId);
    if (!note) throw Problem::notFound();
    return *std::move(note);
}

Note NoteRoutes::update(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const Body<Patch<Note>>& body,
                        const IfMatch& ifMatch)
{
    const auto& organization = caller.organizationId();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const Note before = require(transaction, organization, *contactId, *noteId);
            Note after = before;
            body->applyTo(after);
            ifMatch.require(before.version);
            if (after == before) return before;
            after.version = before.version + 1;
            after.updatedAt = _context.clock().now();
            after.updatedBy = caller.principalId;
            _notes.update(transaction, organization, after);
            return after;
        });
}

DeletedNote NoteRoutes::remove(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const IfMatch& ifMatch)
{
    const auto& organization = caller.organizationId();
    return _context.database().transact(
        [&](Transaction& transaction) -> DeletedNote
        {
            const Note note = require(transaction, organization, *contactId, *noteId);
            ifMatch.require(note.version);
            _notes.erase(transaction, organization, note);
            return {note.noteId};
        });
}

Note NoteRoutes::require(Transaction& transaction, std::string_view organizationId, const ContactId& contactId, const NoteId& noteId) const
{
    auto note = _notes.load(transaction, organizationId, contactId, noteId);
    if (!note) throw Problem::notFound();
    return *std::move(note);
}

} // namespace portico::crm
