#pragma once

#include "contacts/ContactStore.h"
#include "pipelines/BoardRequests.h"
#include "pipelines/PipelineService.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::crm
{

/// /api/pipeline. Thread-safe.
class PipelineRoutes
{
public:
    PipelineRoutes(PluginContext& context, PipelineService& service, const PipelineStore& pipelines, const CardStore& cards,
                   const HistoryStore& history, const ContactStore& contacts);
    void declare(Routes& routes);

    Page<Pipeline> list(const Caller& caller, const Paging& paging);
    Created<Pipeline> create(const Caller& caller, const Body<Pipeline>& body);
    Pipeline show(const Caller& caller, const Path<PipelineId>& id);
    Pipeline update(const Caller& caller, const Path<PipelineId>& id, const Body<Patch<Pipeline>>& body, const IfMatch& ifMatch);
    DeletedPipeline remove(const Caller& caller, const Path<PipelineId>& id, const Query<RemovalOptions>& options, const IfMatch& ifMatch);
    Board board(const Caller& caller, const Path<PipelineId>& id, const Query<BoardFilter>& filter, const Request& request);
    MoveResult move(const Caller& caller, const Path<ContactId>& contactId, const Body<Patch<MoveRequest>>& body);
    Page<HistoryEntry> history(const Caller& caller, const Path<ContactId>& contactId, const Query<HistoryFilter>& filter,
                               const Paging& paging);

private:
    PluginContext& _context;
    PipelineService& _service;
    const PipelineStore& _pipelines;
    const CardStore& _cards;
    const HistoryStore& _history;
    const ContactStore& _contacts;
};

} // namespace portico::crm
