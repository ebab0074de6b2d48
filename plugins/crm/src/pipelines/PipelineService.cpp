#include "pipelines/PipelineService.h"

#include "pipelines/PipelineRules.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t mostPipelines = 50;

const Pipeline& require(const std::vector<Pipeline>& all, const PipelineId& id)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const Pipeline& pipeline) { return pipeline.pipelineId == id; });
    if (found == all.end()) throw Problem::notFound();
    return *found;
}

/// The pipeline that has the stage, without one, or null.
const Pipeline* pipelineOf(const std::vector<Pipeline>& all, const StageId& stage, const PipelineId& without)
{
    for (const auto& pipeline : all)
        if (pipeline.pipelineId != without && pipeline.stage(stage)) return &pipeline;
    return nullptr;
}

Placement placementOf(const Caller& caller, const ContactId& contactId, const Patch<MoveRequest>& patch)
{
    MoveRequest request;
    patch.applyTo(request);
    if (!patch.has("stageId")) throw Problem::invalid("stageId", "required", "Must be there; null takes the contact off the board");
    Placement placement{contactId, request.stageId, request.beforeContactId, request.afterContactId};
    if (patch.has("expectedStageId")) placement.expectedStageId = request.expectedStageId;
    if (patch.has("value")) placement.value = request.value;
    placement.note = std::move(request.note);
    placement.lostReason = std::move(request.lostReason);
    placement.movedBy = caller.principalId;
    placement.source = caller.credential == CredentialKind::ApiKey ? MoveSource::Api : MoveSource::Board;
    return placement;
}

} // namespace

PipelineService::PipelineService(PluginContext& context, const PipelineStore& pipelines, const CardStore& cards, const CardMover& mover,
                                 std::string currency)
    : _context(context), _pipelines(pipelines), _cards(cards), _mover(mover), _currency(std::move(currency))
{
}

void PipelineService::ensureDefault(Tenant tenant)
{
    {
        auto session = _context.database().session();
        if (_pipelines.any(session, tenant)) return;
    }
    _context.database().transact([&](Transaction& transaction)
                                 { _pipelines.insertFirst(transaction, tenant, standardPipeline(_currency, now())); });
}

Pipeline PipelineService::create(const Caller& caller, Pipeline pipeline)
{
    const auto tenant = caller.tenant();
    complete(pipeline, nullptr, _currency, now());
    pipeline.pipelineId = PipelineId::make(now());
    pipeline.createdAt = pipeline.updatedAt = now();
    ensureDefault(tenant);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto all = _pipelines.lockAll(transaction, tenant);
            if (all.size() >= mostPipelines) throw Problem::conflict("conflict", "An organization has at most 50 pipelines.");
            if (pipeline.isDefault) takeDefault(transaction, tenant, all, pipeline.pipelineId);
            _pipelines.insert(transaction, tenant, pipeline);
            return pipeline;
        });
}

Pipeline PipelineService::update(const Caller& caller, const PipelineId& id, const Patch<Pipeline>& patch, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    ensureDefault(tenant);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto all = _pipelines.lockAll(transaction, tenant);
            const Pipeline& before = require(all, id);
            Pipeline after = before;
            patch.applyTo(after);
            const auto moveTo = after.moveTo;
            complete(after, &before, _currency, now());
            const auto removed = removedStages(before, after);
            const auto targets = targetsOf(moveTo, removed, after);
            ifMatch.require(before.version);
            if (after == before) return before;
            checkRemovals(transaction, tenant, before, removed, targets);
            after.version = before.version + 1;
            after.updatedAt = now();
            if (after.isDefault && !before.isDefault) takeDefault(transaction, tenant, all, id);
            _pipelines.update(transaction, tenant, after);
            moveCards(transaction, caller, before, after, targets);
            return after;
        });
}

void PipelineService::checkRemovals(Transaction& transaction, Tenant tenant, const Pipeline& before, const std::vector<StageId>& removed,
                                    const std::map<StageId, StageId>& targets) const
{
    if (removed.empty()) return;
    const auto counts = _cards.counts(transaction, tenant, before.pipelineId);
    std::string stages;
    for (const auto& stage : removed)
        if (counts.contains(stage) && !targets.contains(stage)) stages += (stages.empty() ? "\"" : ",\"") + stage.text() + '"';
    if (!stages.empty())
        throw Problem::conflict("conflict", "A stage with cards is removed only with moveTo.")
            .withDetails("{\"stageIds\":[" + stages + "]}");
}

void PipelineService::moveCards(Transaction& transaction, const Caller& caller, const Pipeline& before, const Pipeline& after,
                                const std::map<StageId, StageId>& targets) const
{
    const auto tenant = caller.tenant();
    for (const auto& stage : before.stages)
    {
        const auto target = targets.find(stage.stageId);
        const auto* kept = after.stage(stage.stageId);
        if (target != targets.end())
            _mover.moveStage(transaction, tenant, caller.principalId, before, stage.stageId, after, target->second);
        else if (!kept)
            _mover.clearStage(transaction, tenant, caller.principalId, before, stage.stageId);
        else if (kept->staleAfterDays != stage.staleAfterDays)
            _cards.setStaleness(transaction, tenant, before.pipelineId, *kept);
    }
}

DeletedPipeline PipelineService::remove(const Caller& caller, const PipelineId& id, const std::optional<StageId>& moveTo,
                                        const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    ensureDefault(tenant);
    return _context.database().transact(
        [&](Transaction& transaction) -> DeletedPipeline
        {
            const auto all = _pipelines.lockAll(transaction, tenant);
            const auto& pipeline = require(all, id);
            ifMatch.require(pipeline.version);
            if (all.size() == 1) throw Problem::conflict("conflict", "The last pipeline cannot be deleted.");
            empty(transaction, caller, pipeline, all, moveTo);
            _pipelines.erase(transaction, tenant, id);
            if (pipeline.isDefault)
            {
                auto heir = all[all.front().pipelineId == id ? 1 : 0];
                heir.isDefault = true;
                ++heir.version;
                heir.updatedAt = now();
                _pipelines.update(transaction, tenant, heir);
            }
            return {id};
        });
}

void PipelineService::empty(Transaction& transaction, const Caller& caller, const Pipeline& pipeline, const std::vector<Pipeline>& all,
                            const std::optional<StageId>& moveTo) const
{
    const auto tenant = caller.tenant();
    const auto* target = moveTo ? pipelineOf(all, *moveTo, pipeline.pipelineId) : nullptr;
    if (moveTo && !target) throw Problem::invalid("moveTo", "unknown_stage", "Not a stage of another pipeline");
    if (!target && !_cards.counts(transaction, tenant, pipeline.pipelineId).empty())
        throw Problem::conflict("conflict", "A pipeline with cards is deleted only with moveTo, a stage of another one.");
    for (const auto& stage : pipeline.stages)
        if (target)
            _mover.moveStage(transaction, tenant, caller.principalId, pipeline, stage.stageId, *target, *moveTo);
        else
            _mover.clearStage(transaction, tenant, caller.principalId, pipeline, stage.stageId);
}

void PipelineService::takeDefault(Transaction& transaction, Tenant tenant, const std::vector<Pipeline>& all, const PipelineId& except) const
{
    for (auto pipeline : all)
    {
        if (!pipeline.isDefault || pipeline.pipelineId == except) continue;
        pipeline.isDefault = false;
        ++pipeline.version;
        pipeline.updatedAt = now();
        _pipelines.update(transaction, tenant, pipeline);
    }
}

MoveResult PipelineService::move(const Caller& caller, const ContactId& contactId, const Patch<MoveRequest>& patch)
{
    const auto tenant = caller.tenant();
    const auto& pipelineId = patch.values().pipelineId;
    if (pipelineId && !caller.reaches(pipelineResource, pipelineId->text())) throw Problem::forbidden("resource_not_bound");
    const auto placement = placementOf(caller, contactId, patch);
    ensureDefault(tenant);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto pipeline = hold(transaction, tenant, pipelineId);
            if (!caller.reaches(pipelineResource, pipeline.pipelineId.text())) throw Problem::forbidden("resource_not_bound");
            return _mover.place(transaction, tenant, pipeline, placement);
        });
}

Pipeline PipelineService::hold(Transaction& transaction, Tenant tenant, const std::optional<PipelineId>& id) const
{
    auto pipeline = id ? _pipelines.lock(transaction, tenant, *id) : _pipelines.lockDefault(transaction, tenant);
    if (!pipeline && !id)
    {
        _pipelines.insertFirst(transaction, tenant, standardPipeline(_currency, now()));
        pipeline = _pipelines.lockDefault(transaction, tenant);
    }
    if (!pipeline) throw Problem::notFound();
    return *std::move(pipeline);
}

MoveResult PipelineService::placeOnStage(Transaction& transaction, Tenant tenant, const Pipeline& pipeline,
                                         const Placement& placement) const
{
    return _mover.place(transaction, tenant, pipeline, placement);
}

} // namespace portico::crm
