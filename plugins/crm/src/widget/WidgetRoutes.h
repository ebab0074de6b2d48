#pragma once

#include "portico/Arguments.h"
#include "portico/Plugin.h"
#include "portico/Routes.h"
#include "portico/Widget.h"

#include <string>

namespace portico::crm
{

/// Serves GET /api/widget. Thread-safe.
class WidgetRoutes
{
public:
    /// @param currency ISO 4217 code of sums without one
    WidgetRoutes(PluginContext& context, std::string currency);
    void declare(Routes& routes);

    /// @throws Problem 403 for the context of another organization, 404 `widget_not_found`
    Widget show(const Caller& caller, const Query<WidgetQuery>& query) const;

private:
    PluginContext& _context;
    std::string _currency;
};

} // namespace portico::crm
