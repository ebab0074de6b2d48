#pragma once

#include "attachments/AttachmentService.h"
#include "service/ServiceInfo.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// GET /api, open to everyone. Thread-safe.
class ServiceRoutes
{
public:
    ServiceRoutes(PluginContext& context, const AttachmentSettings& attachments) : _context(context), _attachments(attachments) {}
    void declare(Routes& routes);

    ServiceInfo info() const;

private:
    PluginContext& _context;
    const AttachmentSettings& _attachments;
};

} // namespace portico::crm
