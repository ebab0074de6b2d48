#pragma once

#include "Note.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// `/api/notes`: a handler is a function from typed input to typed output, its declaration is the route, the permission, the validation and
/// the document.
class NoteRoutes
{
public:
    explicit NoteRoutes(portico::PluginContext& context) : _context(context) {}
    void declare(portico::Routes& routes);

    /// The newest first, unless the caller sorts otherwise.
    using Order = portico::SortDescending<&Note::createdAt, &Note::title>;

    portico::Page<Note> list(const portico::Caller& caller, const Order& order, const portico::Fields<Note>& fields,
                             const portico::Paging& paging) const;
    portico::Created<Note> create(const portico::Caller& caller, const portico::Body<Note>& input);
    Note show(const portico::Caller& caller, const portico::Path<NoteId>& id) const;
    Note change(const portico::Caller& caller, const portico::Path<NoteId>& id, const portico::Body<portico::Patch<Note>>& patch,
                const portico::IfMatch& ifMatch);
    portico::Deleted<NoteId> remove(const portico::Caller& caller, const portico::Path<NoteId>& id, const portico::IfMatch& ifMatch);

private:
    portico::PluginContext& _context;
};

} // namespace acme_notes
