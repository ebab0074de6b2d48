#include "content/Content.h"

namespace portico::social
{

Content::Content(PluginContext& context, const Networks& networks, const Accounts& accounts)
    : _context(context),
      _tools{context, networks, accounts, _zones},
      _posts(_tools),
      _items(_tools),
      _postRoutes(_tools, _posts),
      _itemRoutes(_tools, _items),
      _queueRoutes(_tools),
      _changes(context.channels())
{
}

void Content::start()
{
    auto& jobs = _context.jobs();
    jobs.handle("expire-suggestions", [this](const Job&) { _items.expireSuggestions(); });
    jobs.every("expire-suggestions", std::chrono::minutes(1));
    jobs.handle("reload-time-zones", [this](const Job&) { _zones.reloadIfChanged(); });
    jobs.every("reload-time-zones", std::chrono::minutes(1));
}

void Content::declare(Routes& routes)
{
    _postRoutes.declare(routes);
    _itemRoutes.declare(routes);
    _queueRoutes.declare(routes);
    routes.get("/api/changes", access::bearer("content:read"), &Changes::follow, &_changes, {.summary = "Stream changes"});
}

} // namespace portico::social
