#pragma once

#include "attachments/AttachmentStore.h"
#include "contacts/ContactService.h"
#include "pipelines/HistoryStore.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// /api/contacts. Thread-safe.
class ContactRoutes
{
public:
    ContactRoutes(PluginContext& context, const ContactStore& store, ContactService& service, const AttachmentStore& attachments,
                  const HistoryStore& history);
    void declare(Routes& routes);

    Page<ContactView> list(const Caller& caller, const Query<ContactFilter>& filter, const Paging& paging) const;
    Created<Contact> create(const Caller& caller, const Query<CreateOptions>& options, const Body<Contact>& body);
    ContactView show(const Caller& caller, const Path<ContactId>& id, const Query<ShowOptions>& options) const;
    Contact update(const Caller& caller, const Path<ContactId>& id, const Body<Patch<Contact>>& body, const IfMatch& ifMatch);
    DeletedContact remove(const Caller& caller, const Path<ContactId>& id, const Query<DeleteOptions>& options, const IfMatch& ifMatch);
    Contact restore(const Caller& caller, const Path<ContactId>& id);

private:
    PluginContext& _context;
    const ContactStore& _store;
    ContactService& _service;
    const AttachmentStore& _attachments;
    const HistoryStore& _history;
};

} // namespace portico::crm
