#include "NoteRoutes.h"

namespace acme_notes
{

using namespace portico;

void NoteRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("notes:read", "notes.read");
    const auto write = access::bearerOrKey("notes:write", "notes.write");
    routes.get("/api/notes", read, &NoteRoutes::list, this, {.summary = "List notes"})
        .post("/api/notes", write, &NoteRoutes::create, this, {.summary = "Write a note"})
        .get("/api/notes/{id}", read, &NoteRoutes::show, this, {.summary = "One note", .shortRead = true})
        .put("/api/notes/{id}", write, &NoteRoutes::change, this, {.summary = "Change a note"})
        .del("/api/notes/{id}", write, &NoteRoutes::remove, this, {.summary = "Delete a note"});
}

Page<Note> NoteRoutes::list(const Caller& caller, const Paging& paging) const
{
    auto session = _context.database().session();
    Page<Note> page;
    // One more than asked for tells whether there is a next page.
    page.items = _notes.list(session, caller.organizationId(), paging.cursor, paging.limit + 1);
    if (page.items.size() > static_cast<std::size_t>(paging.limit))
    {
        page.items.pop_back();
        page.nextCursor = page.items.back().id.text();
    }
    if (paging.includeTotal) page.total = _notes.count(session, caller.organizationId());
    return page;
}

Created<Note> NoteRoutes::create(const Caller& caller, const Body<Note>& input)
{
    Note note = *input;
    note.createdAt = note.updatedAt = _context.clock().now();
    note.id = NoteId::make(note.createdAt);
    note.authorId = caller.principalId;
    _context.database().transact([&](Transaction& transaction) { _notes.insert(transaction, caller.organizationId(), note); });
    return {note, "/api/notes/" + note.id.text()};
}

Note NoteRoutes::show(const Caller& caller, const Path<NoteId>& id) const
{
    auto session = _context.database().session();
    auto note = _notes.find(session, caller.organizationId(), *id);
    if (!note) throw Problem::notFound();
    return *std::move(note);
}

Note NoteRoutes::change(const Caller& caller, const Path<NoteId>& id, const Body<Patch<Note>>& patch, const IfMatch& ifMatch)
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            auto note = _notes.find(transaction, caller.organizationId(), *id);
            if (!note) throw Problem::notFound();
            ifMatch.require(note->version);
            patch->applyTo(*note);
            note->updatedAt = _context.clock().now();
            ++note->version;
            // Somebody else was faster (PostgreSQL): the unit of work is run again on what is there now.
            if (!_notes.update(transaction, caller.organizationId(), *note))
                throw DatabaseError(DatabaseError::Kind::Serialization, "40001", "", "The note was changed meanwhile");
            return *note;
        });
}

NoContent NoteRoutes::remove(const Caller& caller, const Path<NoteId>& id)
{
    const bool removed =
        _context.database().transact([&](Transaction& transaction) { return _notes.remove(transaction, caller.organizationId(), *id); });
    if (!removed) throw Problem::notFound();
    return {};
}

} // namespace acme_notes
