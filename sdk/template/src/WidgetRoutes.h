#pragma once

#include "portico/Plugin.h"
#include "portico/Widget.h"

namespace acme_notes
{

/// `GET /api/widget`: the service's tile on the launchpad.
class WidgetRoutes
{
public:
    explicit WidgetRoutes(portico::PluginContext& context) : _context(context) {}
    void declare(portico::Routes& routes);

    portico::Widget show(const portico::Caller& caller, const portico::Query<portico::WidgetQuery>& query) const;

private:
    portico::PluginContext& _context;
};

} // namespace acme_notes
