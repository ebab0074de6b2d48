#pragma once

#include "records/Note.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// Query of GET /api/contacts/{id}/notes.
struct NoteFilter
{
    NoteSort sort = NoteSort::CreatedAtDescending;
};

constexpr auto schemaOf(const NoteFilter*)
{
    return describe(field<&NoteFilter::sort>().description("Pinned notes come first in either order"));
}

/// /api/contacts/{id}/notes. Thread-safe.
class NoteRoutes
{
public:
    explicit NoteRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);

    Page<Note> list(const Caller& caller, const Path<ContactId>& id, const Query<NoteFilter>& filter, const Paging& paging) const;
    Created<Note> create(const Caller& caller, const Path<ContactId>& id, const Body<Note>& body);
    Note show(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId) const;
    Note update(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const Body<Patch<Note>>& body,
                const IfMatch& ifMatch);
    Deleted<NoteId> remove(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const IfMatch& ifMatch);

private:
    PluginContext& _context;
};

} // namespace portico::crm
