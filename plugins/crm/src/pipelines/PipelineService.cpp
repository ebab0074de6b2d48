#include "pipelines/PipelineService.h"

#include "Rights.h"
#include "pipelines/PipelineRules.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t maxPipelines = 50;

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
    validate(request);
    if (!patch.has("stageId")) throw Problem::invalid("stageId", "required", "Required; null removes the contact from the board");
    Placement placement{contactId, request.stageId, request.beforeContactId, request.afterContactId};
    if (patch.has("expectedStageId")) placement.expectedStageId = request.expectedStageId;
    if (patch.has("value")) placement.value = request.value;
    placement.note = std::move(request.note);
    placement.lostReason = std::move(request.lostReason);
    placement.movedBy = caller.principalId;
    placement.movedAt = request.movedAt;
    if (placement.movedAt) requireRight(caller, "crm.contacts:import", "contacts.write");
    placement.source = caller.credential == CredentialKind::ApiKey ? MoveSource::Api : MoveSource::Board;
    return placement;
}

std::optional<HistoryEntry> lastMoveOn(Session& session, Tenant tenant, const Pipeline& pipeline, const ContactId& contactId)
{
    return historyTable.select(tenant)
        .where(&HistoryEntry::contactId, contactId)
        .where(&HistoryEntry::pipelineId, pipeline.pipelineId)
        .orderBy(descending(&HistoryEntry::movedAt))
        .first(session);
}

/// Makes a placement revert a move.
/// @throws Problem 400 unless it is a move of the contact from the placement's stage, and the contact was not moved since
void revert(Session& session, Tenant tenant, const Pipeline& pipeline, const HistoryId& historyId, Placement& placement)
{
    const auto entry = historyTable.find(session, tenant, historyId);
    if (!entry || entry->contactId != placement.contactId || entry->pipelineId != pipeline.pipelineId ||
        entry->fromStageId != placement.stageId)
        throw Problem::invalid("undoHistoryId", "unknown_move", "Not a move of this contact from the stage in stageId");
    const auto card = cardTable.find(session, tenant, pipeline.pipelineId, placement.contactId);
    // An undo restores the time on the stage, so that the move before can be undone next.
    if (card ? card->since != entry->movedAt : lastMoveOn(session, tenant, pipeline, placement.contactId) != entry)
        throw Problem::badRequest("stage_changed", "The contact was moved since.")
            .withDetails("{\"currentStageId\":" + toJson(card ? std::optional(card->stageId) : std::nullopt) + "}");
    placement.expectedStageId = entry->toStageId;
    placement.takesBack = true;
    if (!entry->former || !placement.stageId) return;
    const auto& [position, since, value] = *entry->former;
    placement.former = CardRow{pipeline.pipelineId, placement.contactId, *placement.stageId, position, since, {}, value, false};
}

} // namespace

void PipelineService::ensureDefault(Tenant tenant)
{
    {
        auto session = _context.database().session();
        if (pipelineTable.select(tenant).exists(session)) return;
    }
    // The unique index of default pipelines decides between concurrent requests.
    _context.database().transact([&](Transaction& transaction)
                                 { pipelineTable.insertIfAbsent(transaction, tenant, standardPipeline(_currency, now())); });
}

Created<Pipeline> PipelineService::create(const Caller& caller, const Body<Pipeline>& body)
{
    const auto tenant = caller.tenant();
    Pipeline pipeline = *body;
    complete(pipeline, nullptr, _currency, now());
    pipeline = pipelineTable.stamped(std::move(pipeline), {now()});
    ensureDefault(tenant);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto all = lockPipelines(transaction, tenant);
            if (all.size() >= maxPipelines) throw Problem::conflict("conflict", "An organization has at most 50 pipelines.");
            if (pipeline.isDefault) takeDefault(transaction, tenant, all, pipeline.pipelineId);
            pipelineTable.insert(transaction, tenant, pipeline);
        });
    return {pipeline, "/api/pipeline/" + pipeline.pipelineId.text()};
}

Pipeline PipelineService::update(const Caller& caller, const Path<PipelineId>& id, const Body<Patch<Pipeline>>& body,
                                 const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    ensureDefault(tenant);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto all = lockPipelines(transaction, tenant);
            const Pipeline& before = require(all, *id);
            std::map<StageId, StageId> targets;
            const auto edit = [&](Pipeline& pipeline)
            {
                body->applyTo(pipeline);
                const auto moveTo = pipeline.moveTo;
                complete(pipeline, &before, _currency, now());
                const auto removed = removedStages(before, pipeline);
                targets = targetsOf(moveTo, removed, pipeline);
                checkRemovals(transaction, tenant, before, removed, targets);
                if (pipeline.isDefault && !before.isDefault) takeDefault(transaction, tenant, all, *id);
            };
            const Pipeline after = pipelineTable.change(transaction, tenant, *id, ifMatch, {now()}, edit);
            moveCards(transaction, caller, before, after, targets);
            return after;
        });
}

void PipelineService::checkRemovals(Transaction& transaction, Tenant tenant, const Pipeline& before, const std::vector<StageId>& removed,
                                    const std::map<StageId, StageId>& targets) const
{
    if (removed.empty()) return;
    const auto counts = countCards(transaction, tenant, before.pipelineId);
    auto stages = removed;
    std::erase_if(stages, [&](const StageId& stage) { return !counts.contains(stage) || targets.contains(stage); });
    if (!stages.empty())
        throw Problem::conflict("conflict", "A stage with cards is removed only with moveTo.")
            .withDetails("{\"stageIds\":" + toJson(stages) + "}");
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
            setStaleness(transaction, tenant, before.pipelineId, *kept);
    }
}

Deleted<PipelineId, "pipelineId"> PipelineService::remove(const Caller& caller, const Path<PipelineId>& id,
                                                          const Query<RemovalOptions>& options, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    ensureDefault(tenant);
    return _context.database().transact([&](Transaction & transaction) -> Deleted<PipelineId, "pipelineId"> {
        const auto all = lockPipelines(transaction, tenant);
        const auto& pipeline = require(all, *id);
        ifMatch.require(pipeline.version);
        if (all.size() == 1) throw Problem::conflict("conflict", "The last pipeline cannot be deleted.");
        empty(transaction, caller, pipeline, all, options->moveTo);
        pipelineTable.erase(transaction, tenant, *id);
        if (pipeline.isDefault) setDefault(transaction, tenant, all[all.front().pipelineId == *id ? 1 : 0].pipelineId, true);
        return {*id};
    });
}

void PipelineService::empty(Transaction& transaction, const Caller& caller, const Pipeline& pipeline, const std::vector<Pipeline>& all,
                            const std::optional<StageId>& moveTo) const
{
    const auto tenant = caller.tenant();
    const auto* target = moveTo ? pipelineOf(all, *moveTo, pipeline.pipelineId) : nullptr;
    if (moveTo && !target) throw Problem::invalid("moveTo", "unknown_stage", "Not a stage of another pipeline");
    if (!target && !countCards(transaction, tenant, pipeline.pipelineId).empty())
        throw Problem::conflict("conflict", "A pipeline with cards is deleted only with moveTo, a stage of another one.");
    for (const auto& stage : pipeline.stages)
        if (target)
            _mover.moveStage(transaction, tenant, caller.principalId, pipeline, stage.stageId, *target, *moveTo);
        else
            _mover.clearStage(transaction, tenant, caller.principalId, pipeline, stage.stageId);
}

void PipelineService::takeDefault(Transaction& transaction, Tenant tenant, const std::vector<Pipeline>& all, const PipelineId& except) const
{
    for (const auto& pipeline : all)
        if (pipeline.isDefault && pipeline.pipelineId != except) setDefault(transaction, tenant, pipeline.pipelineId, false);
}

void PipelineService::setDefault(Transaction& transaction, Tenant tenant, const PipelineId& id, bool isDefault) const
{
    pipelineTable.change(transaction, tenant, id, IfMatch(""), {now()}, [&](Pipeline& pipeline) { pipeline.isDefault = isDefault; });
}

MoveResult PipelineService::move(const Caller& caller, const Path<ContactId>& contactId, const Body<Patch<MoveRequest>>& body,
                                 const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    const auto& pipelineId = body->values().pipelineId;
    if (pipelineId && !caller.reaches(pipelineResource, pipelineId->text())) throw Problem::forbidden("resource_not_bound");
    auto placement = placementOf(caller, *contactId, *body);
    placement.ifMatch = ifMatch;
    ensureDefault(tenant);
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto pipeline = hold(transaction, tenant, pipelineId);
            if (!caller.reaches(pipelineResource, pipeline.pipelineId.text())) throw Problem::forbidden("resource_not_bound");
            if (const auto& undone = body->values().undoHistoryId) revert(transaction, tenant, pipeline, *undone, placement);
            return _mover.place(transaction, tenant, pipeline, placement);
        });
}

Pipeline PipelineService::requireStage(const Caller& caller, const std::optional<PipelineId>& id, const std::optional<StageId>& stageId,
                                       std::string_view path)
{
    const Problem unreached = Problem::forbidden("resource_not_bound");
    if (id && !caller.reaches(pipelineResource, id->text())) throw unreached;
    ensureDefault(caller.tenant());
    auto session = _context.database().session();
    const auto all = allPipelines(session, caller.tenant());
    const auto fits = [&](const Pipeline& pipeline)
    {
        if (id) return pipeline.pipelineId == *id;
        return stageId ? pipeline.stage(*stageId) != nullptr : pipeline.isDefault;
    };
    const auto found = std::find_if(all.begin(), all.end(), fits);
    if (found == all.end() && id) throw Problem::invalid(std::string(path) + "pipelineId", "unknown_option", "There is no such pipeline");
    // Does not reveal whether a stage exists in a pipeline that a bound key cannot access.
    if (found == all.end() ? reachedPipelines(caller).has_value() : !caller.reaches(pipelineResource, found->pipelineId.text()))
        throw unreached;
    if (found == all.end() || (stageId && !found->stage(*stageId)))
        throw Problem::invalid(std::string(path) + "stageId", "unknown_stage", "Not a stage of this pipeline");
    return *found;
}

Pipeline PipelineService::hold(Transaction& transaction, Tenant tenant, const std::optional<PipelineId>& id) const
{
    if (id) return pipelineTable.requireForUpdate(transaction, tenant, *id);
    auto pipeline = lockDefaultPipeline(transaction, tenant);
    if (!pipeline)
    {
        pipelineTable.insertIfAbsent(transaction, tenant, standardPipeline(_currency, now()));
        pipeline = lockDefaultPipeline(transaction, tenant);
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
