#pragma once

#include "contacts/ContactService.h"
#include "exports/ExportRequest.h"
#include "exports/ExportSlots.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// GET /api/contacts/export. Thread-safe.
class ExportRoutes
{
public:
    ExportRoutes(PluginContext& context, const ContactService& service);
    void declare(Routes& routes);

    Stream send(const Caller& caller, const Query<ExportRequest>& request);

private:
    PluginContext& _context;
    const ContactService& _service;
    ExportSlots _slots;
};

} // namespace portico::crm
