#include "records/Note.h"

namespace portico::crm
{

Page<Note> listNotes(Session& session, Tenant tenant, const ContactId& contactId, NoteSort sort, const Paging& paging)
{
    auto notes = noteRows.select(tenant);
    notes.where(&Note::contactId, contactId).orderBy(descending(&Note::pinned));
    if (sort == NoteSort::CreatedAt)
        notes.orderBy(&Note::createdAt, &Note::noteId);
    else
        notes.orderBy(descending(&Note::createdAt), descending(&Note::noteId));
    return notes.page(session, paging);
}

bool addNote(Transaction& transaction, Tenant tenant, const Note& note)
{
    // The count first: it locks the contact, so that a deletion cannot come between.
    if (transaction.execute("UPDATE contact SET note_count = note_count + 1 WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL",
                            tenant, note.contactId) == 0)
        return false;
    noteRows.insert(transaction, tenant, note);
    return true;
}

} // namespace portico::crm
