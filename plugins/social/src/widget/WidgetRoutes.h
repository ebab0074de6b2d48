#pragma once

#include "content/ContentItem.h"

#include "portico/Routes.h"
#include "portico/Widget.h"

namespace portico::social
{

/// GET /api/widget: published, scheduled and waiting posts of all brands that the caller can access. Thread-safe.
class WidgetRoutes
{
public:
    explicit WidgetRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);

    Widget show(const Caller& caller, const Query<WidgetQuery>& query) const;

private:
    PluginContext& _context;
};

} // namespace portico::social
