#pragma once

#include "hosts/ActingHost.h"
#include "hosttime/BookingTools.h"

#include "portico/Routes.h"
#include "portico/Widget.h"

namespace portico::calendar
{

/// Query of the widget: common members of all services, and the host.
struct HostWidgetQuery : WidgetQuery, HostChoice
{
};

constexpr auto schemaOf(const HostWidgetQuery*)
{
    const auto member = [](std::string_view name, std::string WidgetQuery::*which)
    { return field(name, static_cast<std::string HostWidgetQuery::*>(which)); };
    return describe(member("widgetId", &WidgetQuery::widgetId), member("context", &WidgetQuery::context).description("The caller's"),
                    member("organizationId", &WidgetQuery::organizationId).description("The caller's"),
                    member("householdId", &WidgetQuery::householdId).description("The caller's"),
                    member("locale", &WidgetQuery::locale).description("A language tag (RFC 5646), for example `de-AT`"),
                    inherited<HostChoice>());
}

/// Serves GET /api/widget: upcoming bookings, and requests that wait for a decision. Thread-safe.
class WidgetRoutes
{
public:
    explicit WidgetRoutes(const BookingTools& tools) : _tools(tools) {}
    void declare(Routes& routes);

    Widget show(const Caller& caller, const Query<HostWidgetQuery>& query) const;

private:
    const BookingTools& _tools;
};

} // namespace portico::calendar
