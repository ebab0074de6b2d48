#pragma once

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
    PipelineRoutes(PluginContext& context, PipelineService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<Pipeline> list(const Caller& caller, const Paging& paging);
    Pipeline show(const Caller& caller, const Path<PipelineId>& id);
    Board board(const Caller& caller, const Path<PipelineId>& id, const Query<BoardFilter>& filter, const Request& request);
    Page<HistoryEntry> history(const Caller& caller, const Path<ContactId>& contactId, const Query<HistoryFilter>& filter,
                               const Paging& paging);

private:
    PluginContext& _context;
    PipelineService& _service;
};

} // namespace portico::crm
