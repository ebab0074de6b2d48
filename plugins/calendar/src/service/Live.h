#pragma once

#include "portico/Changes.h"
#include "portico/Plugin.h"

#include <string_view>
#include <utility>

namespace portico::calendar
{

/// Runs a transaction, and notifies the workspace's open pages after the commit (`GET /api/changes`). For changes without a published
/// event. `what` is the type of the change, such as `calendar.schedules`; the pages reload their data.
/// @return the result of `work`
template <class F>
auto transactLive(PluginContext& context, Tenant tenant, std::string_view what, F&& work)
{
    auto result = context.database().transact(std::forward<F>(work));
    context.channels().publish(Channel(tenant, Changes::channel), what, "{}");
    return result;
}

} // namespace portico::calendar
