#include "NoteRoutes.h"

namespace acme_notes
{

using namespace portico;

void NoteRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("notes:read", "notes.read");
    const auto write = access::bearerOrKey("notes:write", "notes.write");
    routes.get("/api/notes", read, &NoteRoutes::list, this, {.summary = "List notes"})
        .post("/api/notes", write, &NoteRoutes::create, this, {.summary = "Create a note"})
        .get("/api/notes/{id}", read, &NoteRoutes::show, this, {.summary = "One note", .execution = Execution::ShortRead})
        .put("/api/notes/{id}", write, &NoteRoutes::change, this, {.summary = "Change a note"})
        .del("/api/notes/{id}", write, &NoteRoutes::remove, this, {.summary = "Delete a note"});
}

Page<Note> NoteRoutes::list(const Caller& caller, const Order& order, const Fields<Note>& fields, const Paging& paging) const
{
    auto session = _context.database().session();
    return notes.select(caller.tenant()).orderBy(order).page(session, paging, fields);
}

Created<Note> NoteRoutes::create(const Caller& caller, const Body<Note>& input)
{
    Note note = notes.stamped(*input, {_context.clock().now()});
    note.authorId = caller.principalId;
    _context.database().transact([&](Transaction& transaction) { notes.insert(transaction, caller.tenant(), note); });
    return {note, "/api/notes/" + note.id.text()};
}

Note NoteRoutes::show(const Caller& caller, const Path<NoteId>& id) const
{
    auto session = _context.database().session();
    return notes.require(session, caller.tenant(), *id);
}

Note NoteRoutes::change(const Caller& caller, const Path<NoteId>& id, const Body<Patch<Note>>& patch, const IfMatch& ifMatch)
{
    return _context.database().transact(
        [&](Transaction& transaction)
        { return notes.change(transaction, caller.tenant(), *id, ifMatch, {_context.clock().now()}, *patch); });
}

Deleted<NoteId> NoteRoutes::remove(const Caller& caller, const Path<NoteId>& id, const IfMatch& ifMatch)
{
    return _context.database().transact([&](Transaction& transaction)
                                        { return Deleted{notes.remove(transaction, caller.tenant(), *id, ifMatch).id}; });
}

} // namespace acme_notes
