#pragma once

#include "contacts/ContactService.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// /api/contacts. Thread-safe.
class ContactRoutes
{
public:
    ContactRoutes(PluginContext& context, ContactService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<ContactView> list(const Caller& caller, const Query<ContactFilter>& filter, const Paging& paging) const;
    ContactView show(const Caller& caller, const Path<ContactId>& id, const Query<ShowOptions>& options) const;

private:
    PluginContext& _context;
    ContactService& _service;
};

} // namespace portico::crm
