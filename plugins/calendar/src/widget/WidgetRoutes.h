#pragma once

#include "bookings/BookingTools.h"

#include "portico/Routes.h"
#include "portico/Widget.h"

namespace portico::calendar
{

/// GET /api/widget: what comes next, and what waits for an answer. Thread-safe.
class WidgetRoutes
{
public:
    explicit WidgetRoutes(const BookingTools& tools) : _tools(tools) {}
    void declare(Routes& routes);

    Widget show(const Caller& caller, const Query<WidgetQuery>& query) const;

private:
    const BookingTools& _tools;
};

} // namespace portico::calendar
