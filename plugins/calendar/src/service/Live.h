#pragma once

#include "portico/Changes.h"
#include "portico/Plugin.h"

#include <string_view>
#include <utility>

namespace portico::calendar
{

/// A transaction whose change is told to the open pages of the workspace once it is committed (`GET /api/changes`), where no event is
/// published for it. `what` is the event's type, as `calendar.schedules`; the pages read anew what they show. @return what `work` returns
template <class F>
auto transactLive(PluginContext& context, Tenant tenant, std::string_view what, F&& work)
{
    auto result = context.database().transact(std::forward<F>(work));
    context.channels().publish(Channel(tenant, Changes::channel), what, "{}");
    return result;
}

} // namespace portico::calendar
