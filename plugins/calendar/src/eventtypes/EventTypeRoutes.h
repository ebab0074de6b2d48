#pragma once

#include "embed/EmbedOrigins.h"
#include "hosts/ActingHost.h"
#include "records/EventType.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::calendar
{

/// /api/admin/event-types. Thread-safe.
class EventTypeRoutes
{
public:
    EventTypeRoutes(PluginContext& context, const EmbedOrigins& origins) : _context(context), _origins(origins) {}
    void declare(Routes& routes);

    Page<EventType> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    Created<EventType> create(const Caller& caller, const Query<HostChoice>& choice, const Body<EventType>& body);
    EventType show(const Caller& caller, const Path<EventTypeId>& id, const Query<HostChoice>& choice) const;
    EventType update(const Caller& caller, const Path<EventTypeId>& id, const Query<HostChoice>& choice, const Body<Patch<EventType>>& body,
                     const IfMatch& ifMatch);
    Deleted<EventTypeId, "eventTypeId"> remove(const Caller& caller, const Path<EventTypeId>& id, const Query<HostChoice>& choice,
                                               const IfMatch& ifMatch);

private:
    PluginContext& _context;
    const EmbedOrigins& _origins;
};

} // namespace portico::calendar
