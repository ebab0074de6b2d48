#pragma once

#include "contacts/ContactStore.h"
#include "notes/NoteStore.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// /api/contacts/{id}/notes. Thread-safe.
class NoteRoutes
{
public:
    NoteRoutes(Context& context, const ContactStore& contacts, const NoteStore& notes);
    void declare(Routes& routes);

    Page<Note> list(const Caller& caller, const Path<ContactId>& id, const Query<NoteFilter>& filter, const Paging& paging) const;
    Created<Note> create(const Caller& caller, const Path<ContactId>& id, const Body<Note>& body);
    Note show(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId) const;
    Note update(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const Body<Patch<Note>>& body,
                const IfMatch& ifMatch);
    DeletedNote remove(const Caller& caller, const Path<ContactId>& contactId, const Path<NoteId>& noteId, const IfMatch& ifMatch);

private:
    Note require(Transaction& transaction, std::string_view organizationId, const ContactId& contactId, const NoteId& noteId) const;

    Context& _context;
    const ContactStore& _contacts;
    const NoteStore& _notes;
};

} // namespace portico::crm
