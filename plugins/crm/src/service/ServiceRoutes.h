#pragma once

#include "service/ServiceInfo.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// GET /health and GET /api, open to everyone. Thread-safe.
class ServiceRoutes
{
public:
    explicit ServiceRoutes(Context& context) : _context(context) {}
    void declare(Routes& routes);

    /// 200 also when something is missing: `status` tells.
    ServiceHealth health() const;
    ServiceInfo info() const;

private:
    ServiceDependency checkDatabase() const;
    ServiceDependency checkDirectory() const;

    Context& _context;
};

} // namespace portico::crm
