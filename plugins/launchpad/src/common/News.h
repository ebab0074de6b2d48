#pragma once

#include "portico/Plugin.h"

#include <string_view>

namespace portico::launchpad
{

/// Publishes a change of an organization in its transaction: to open pages (`GET /api/changes`), webhooks and plugins. Changes of a person
/// are not published: only the person's own pages show them.
/// @param data JSON text of an object with IDs
inline void publishNews(PluginContext& context, Transaction& transaction, Tenant tenant, std::string_view type, std::string_view data)
{
    if (!tenant.isUser()) context.events().publish(transaction, type, tenant.text(), data);
}

} // namespace portico::launchpad
