#include "pipelines/PipelineRoutes.h"

#include "pipelines/Board.h"
#include "records/ContactView.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// A key that is bound to other pipelines learns nothing of this one, not even whether it exists.
void requireReach(const Caller& caller, const PipelineId& id)
{
    if (!caller.reaches(pipelineResource, id.text()))
        throw Problem::forbidden("resource_not_bound", "This key is bound to other pipelines.");
}

/// Returns the scope of a column's cursor. A board returns the cursors of all columns, each for a request that names its column.
std::string scopeOf(const PipelineId& pipeline, BoardFilter filter, const StageId& stage)
{
    filter.cursor.clear();
    filter.stageId = {stage};
    std::sort(filter.ownerUserId.begin(), filter.ownerUserId.end());
    std::sort(filter.tag.begin(), filter.tag.end());
    return pipeline.text() + toJson(filter);
}

/// Returns the position at which the filter's single column continues; empty without a cursor. @throws Problem 400 `invalid_cursor`
std::string openCursor(const Request& request, const PipelineId& pipeline, const BoardFilter& filter)
{
    if (!request.queryParameter("cursor")) return {};
    if (filter.stageId.size() != 1) throw Problem::badRequest("invalid_cursor", "The cursor belongs to one column: name it with stageId.");
    return portico::openCursor(request, scopeOf(pipeline, filter, filter.stageId.front()), filter.cursor);
}

} // namespace

void PipelineRoutes::declare(Routes& routes)
{
    const auto readable = access::bearerOrKey("pipeline:read", "pipeline.read");
    const auto readsOne = readable.bind(pipelineResource, "pipelineId");
    const auto reads = readable.bindInHandler(pipelineResource);
    const auto moves = access::bearerOrKey("pipeline:move", "pipeline.write").bindInHandler(pipelineResource);
    const auto defines = access::bearerOrKey("pipeline:admin", "settings.write");
    constexpr std::string_view all = "/api/pipeline", one = "/api/pipeline/{pipelineId}";
    routes.get(all, reads, &PipelineRoutes::list, this, {.summary = "List the pipelines"})
        .post(all, defines, &PipelineService::create, &_service, {.summary = "Create a pipeline", .problems = {"409 conflict"}})
        .get(one, readsOne, &PipelineRoutes::show, this, {.summary = "Read a pipeline with the number of cards per stage"})
        .put(one, defines, &PipelineService::update, &_service, {.summary = "Change a pipeline", .problems = {"409 conflict"}})
        .del(one, defines, &PipelineService::remove, &_service, {.summary = "Delete a pipeline", .problems = {"409 conflict"}})
        .get("/api/pipeline/{pipelineId}/board", readsOne, &PipelineRoutes::board, this, {.summary = "Read a board"})
        .put("/api/pipeline/{contactId}/move", moves, &PipelineService::move, &_service,
             {.summary = "Move a contact to a stage or off the board", .problems = {"400 stage_changed", "400 move_not_allowed"}})
        .get("/api/pipeline/{contactId}/history", reads, &PipelineRoutes::history, this, {.summary = "List the moves of a contact"});
}

Page<Pipeline> PipelineRoutes::list(const Caller& caller, const Paging& paging)
{
    _service.ensureDefault(caller.tenant());
    auto session = _context.database().session();
    return listPipelines(session, caller, paging);
}

Pipeline PipelineRoutes::show(const Caller& caller, const Path<PipelineId>& id)
{
    const auto tenant = caller.tenant();
    _service.ensureDefault(tenant);
    auto session = _context.database().session();
    auto pipeline = pipelineTable.require(session, tenant, *id);
    const auto counts = countCards(session, tenant, *id);
    for (auto& stage : pipeline.stages)
    {
        const auto found = counts.find(stage.stageId);
        stage.count = found == counts.end() ? 0 : found->second;
    }
    return pipeline;
}

Board PipelineRoutes::board(const Caller& caller, const Path<PipelineId>& id, const Query<BoardFilter>& filter, const Request& request)
{
    const auto tenant = caller.tenant();
    const auto after = openCursor(request, *id, *filter);
    _service.ensureDefault(tenant);
    auto snapshot = _context.database().snapshot();
    Board board;
    board.pipeline = pipelineTable.require(snapshot, tenant, *id);
    board.generatedAt = _context.clock().now();
    board.columns = readBoard(snapshot, tenant, board.pipeline, *filter, after, board.generatedAt);
    for (auto& column : board.columns)
        if (column.nextCursor) column.nextCursor = signCursor(request, scopeOf(*id, *filter, column.stageId), *column.nextCursor);
    return board;
}

Page<HistoryEntry> PipelineRoutes::history(const Caller& caller, const Path<ContactId>& contactId, const Query<HistoryFilter>& filter,
                                           const Paging& paging)
{
    const auto tenant = caller.tenant();
    for (const auto& id : filter->pipelineId) requireReach(caller, id);
    _service.ensureDefault(tenant);
    auto session = _context.database().session();
    requireContact(session, tenant, *contactId);
    return listHistory(session, caller, *contactId, *filter, paging);
}

} // namespace portico::crm
