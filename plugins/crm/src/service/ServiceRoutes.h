#pragma once

#include "attachments/AttachmentSettings.h"
#include "service/ServiceInfo.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// GET /health and GET /api, open to everyone. Thread-safe.
class ServiceRoutes
{
public:
    ServiceRoutes(PluginContext& context, const AttachmentSettings& attachments) : _context(context), _attachments(attachments) {}
    void declare(Routes& routes);

    /// 200 also when something is missing: `status` tells.
    ServiceHealth health() const;
    ServiceInfo info() const;

private:
    ServiceDependency checkDatabase() const;
    ServiceDependency checkDirectory() const;

    PluginContext& _context;
    const AttachmentSettings& _attachments;
};

} // namespace portico::crm
