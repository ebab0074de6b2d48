#include "pipelines/PipelineRoutes.h"

#include "pipelines/Board.h"
#include "pipelines/BoardCursor.h"

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

} // namespace

PipelineRoutes::PipelineRoutes(PluginContext& context, PipelineService& service, const PipelineStore& pipelines, const CardStore& cards,
                               const HistoryStore& history, const ContactStore& contacts)
    : _context(context), _service(service), _pipelines(pipelines), _cards(cards), _history(history), _contacts(contacts)
{
}

void PipelineRoutes::declare(Routes& routes)
{
    const auto readable = access::bearerOrKey("pipeline:read", "pipeline.read");
    const auto readsOne = readable.bind(pipelineResource, "pipelineId");
    const auto reads = readable.bindInHandler(pipelineResource);
    const auto moves = access::bearerOrKey("pipeline:move", "pipeline.write").bindInHandler(pipelineResource);
    const auto defines = access::bearerOrKey("pipeline:admin", "settings.write");
    constexpr std::string_view all = "/api/pipeline", one = "/api/pipeline/{pipelineId}";
    routes.get(all, reads, &PipelineRoutes::list, this, {.summary = "List the pipelines"})
        .post(all, defines, &PipelineRoutes::create, this, {.summary = "Create a pipeline", .problems = {"409 conflict"}})
        .get(one, readsOne, &PipelineRoutes::show, this, {.summary = "Read a pipeline, with the cards of each stage counted"})
        .put(one, defines, &PipelineRoutes::update, this,
             {.summary = "Change a pipeline", .problems = {"409 conflict", "412 version_conflict"}})
        .del(one, defines, &PipelineRoutes::remove, this,
             {.summary = "Delete a pipeline", .problems = {"409 conflict", "412 version_conflict"}})
        .get("/api/pipeline/{pipelineId}/board", readsOne, &PipelineRoutes::board, this, {.summary = "Read a board: columns of cards"})
        .put("/api/pipeline/{contactId}/move", moves, &PipelineRoutes::move, this,
             {.summary = "Put a contact onto a stage, or off the board", .problems = {"400 stage_changed", "400 move_not_allowed"}})
        .get("/api/pipeline/{contactId}/history", reads, &PipelineRoutes::history, this, {.summary = "List the moves of a contact"});
}

Page<Pipeline> PipelineRoutes::list(const Caller& caller, const Paging& paging)
{
    _service.ensureDefault(caller.tenant());
    auto session = _context.database().session();
    return _pipelines.list(session, caller, paging);
}

Created<Pipeline> PipelineRoutes::create(const Caller& caller, const Body<Pipeline>& body)
{
    auto pipeline = _service.create(caller, *body);
    auto location = "/api/pipeline/" + pipeline.pipelineId.text();
    return {std::move(pipeline), std::move(location)};
}

Pipeline PipelineRoutes::show(const Caller& caller, const Path<PipelineId>& id)
{
    const auto tenant = caller.tenant();
    _service.ensureDefault(tenant);
    auto session = _context.database().session();
    auto pipeline = _pipelines.find(session, tenant, *id);
    if (!pipeline) throw Problem::notFound();
    const auto counts = _cards.counts(session, tenant, *id);
    for (auto& stage : pipeline->stages)
    {
        const auto found = counts.find(stage.stageId);
        stage.count = found == counts.end() ? 0 : found->second;
    }
    return *std::move(pipeline);
}

Pipeline PipelineRoutes::update(const Caller& caller, const Path<PipelineId>& id, const Body<Patch<Pipeline>>& body, const IfMatch& ifMatch)
{
    return _service.update(caller, *id, *body, ifMatch);
}

DeletedPipeline PipelineRoutes::remove(const Caller& caller, const Path<PipelineId>& id, const Query<RemovalOptions>& options,
                                       const IfMatch& ifMatch)
{
    return _service.remove(caller, *id, options->moveTo, ifMatch);
}

Board PipelineRoutes::board(const Caller& caller, const Path<PipelineId>& id, const Query<BoardFilter>& filter, const Request& request)
{
    const auto tenant = caller.tenant();
    const BoardCursors cursors(request, *id, *filter);
    const auto after = cursors.open();
    _service.ensureDefault(tenant);
    auto snapshot = _context.database().snapshot();
    auto pipeline = _pipelines.find(snapshot, tenant, *id);
    if (!pipeline) throw Problem::notFound();
    Board board;
    board.generatedAt = _context.clock().now();
    board.columns = readBoard(snapshot, tenant, *pipeline, *filter, after, board.generatedAt);
    for (auto& column : board.columns)
        if (column.nextCursor) column.nextCursor = cursors.sign(column.stageId, *column.nextCursor);
    board.pipeline = *std::move(pipeline);
    return board;
}

MoveResult PipelineRoutes::move(const Caller& caller, const Path<ContactId>& contactId, const Body<Patch<MoveRequest>>& body)
{
    return _service.move(caller, *contactId, *body);
}

Page<HistoryEntry> PipelineRoutes::history(const Caller& caller, const Path<ContactId>& contactId, const Query<HistoryFilter>& filter,
                                           const Paging& paging)
{
    const auto tenant = caller.tenant();
    for (const auto& id : filter->pipelineId) requireReach(caller, id);
    _service.ensureDefault(tenant);
    auto session = _context.database().session();
    if (!_contacts.exists(session, tenant, *contactId)) throw Problem::notFound();
    return _history.list(session, caller, *contactId, *filter, paging);
}

} // namespace portico::crm
