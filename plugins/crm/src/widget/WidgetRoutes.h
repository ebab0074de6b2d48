#pragma once

#include "portico/Arguments.h"
#include "portico/Plugin.h"
#include "portico/Routes.h"
#include "portico/Widget.h"

#include <string>

namespace portico::crm
{

/// GET /api/widget. Thread-safe.
class WidgetRoutes
{
public:
    /// `currency`: of sums that have none of their own, ISO 4217.
    WidgetRoutes(PluginContext& context, std::string currency);
    void declare(Routes& routes);

    /// @throws Problem 403 for another's context, 404 `widget_not_found`
    Widget show(const Caller& caller, const Query<WidgetQuery>& query) const;

private:
    PluginContext& _context;
    std::string _currency;
};

} // namespace portico::crm
