#pragma once

#include "content/ItemRoutes.h"
#include "content/Publications.h"
#include "content/QueueRoutes.h"

#include "portico/Changes.h"

namespace portico::social
{

/// Posts, items, queue, deck and figures: everything of `content`, as the plugin makes it.
class Content
{
public:
    /// All of them outlive this.
    Content(PluginContext& context, const Networks& networks, const Accounts& accounts);
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;

    /// Registers its jobs.
    void start();
    void declare(Routes& routes);
    /// Returns the collaborators, for objects that this one outlives.
    const ContentTools& tools() const noexcept { return _tools; }

private:
    PluginContext& _context;
    TimeZones _zones;
    const ContentTools _tools;
    const PostService _posts;
    const ItemService _items;
    PostRoutes _postRoutes;
    ItemRoutes _itemRoutes;
    QueueRoutes _queueRoutes;
    Changes _changes;
};

} // namespace portico::social
