#include "pipelines/PipelineRules.h"

#include <algorithm>
#include <array>

namespace portico::crm
{

namespace
{

using Errors = std::vector<FieldError>;

constexpr std::array<std::string_view, 7> palette{"#64748b", "#3b82f6", "#06b6d4", "#8b5cf6", "#f59e0b", "#22c55e", "#ef4444"};

std::string at(std::string_view list, std::size_t index) { return std::string(list) + '[' + std::to_string(index) + ']'; }

/// Assigns ids to new stages; in a new pipeline to all, so that a copy of another pipeline can be created. Returns the new id for each id
/// of the input.
std::map<StageId, StageId> nameStages(std::vector<Stage>& stages, const Pipeline* before, Instant now, Errors& errors)
{
    std::map<StageId, StageId> names;
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        const StageId given = stages[i].stageId;
        const auto field = at("stages", i) + ".stageId";
        if (!given.empty() && before && !before->stage(given))
            errors.push_back({field, "unknown_stage", "Not a stage of this pipeline; a stage to be added has no id yet"});
        if (!before || given.empty()) stages[i].stageId = StageId::make(now);
        if (!given.empty() && !names.emplace(given, stages[i].stageId).second) errors.push_back({field, "not_unique", "Duplicate stage"});
    }
    return names;
}

void completeStages(std::vector<Stage>& stages)
{
    std::int64_t next = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
    {
        auto& stage = stages[i];
        if (!stage.order) stage.order = next;
        // Stages after the maximum share it, and stay in the order of the list.
        next = std::min(*stage.order + 1, lastStageOrder);
        if (!stage.probability) stage.probability = stage.kind == StageKind::Won ? 100 : 0;
        if (stage.color.empty()) stage.color = palette[i % palette.size()];
        stage.count.reset();
    }
    std::stable_sort(stages.begin(), stages.end(), [](const Stage& left, const Stage& right) { return left.order < right.order; });
}

void completeTransitions(Pipeline& pipeline, const Pipeline* before, const std::map<StageId, StageId>& names, Errors& errors)
{
    if (!pipeline.transitions) return;
    std::vector<Transition> kept;
    for (std::size_t i = 0; i < pipeline.transitions->size(); ++i)
    {
        const auto& [from, to] = (*pipeline.transitions)[i];
        bool removed = false;
        const auto named = [&](const StageId& id, std::string_view end)
        {
            if (const auto found = names.find(id); found != names.end()) return found->second;
            if (before && before->stage(id))
                removed = true;
            else
                errors.push_back({at("transitions", i) + std::string(end), "unknown_stage", "Not a stage of this pipeline"});
            return id;
        };
        const Transition transition{named(from, ".from"), named(to, ".to")};
        if (!removed && std::find(kept.begin(), kept.end(), transition) == kept.end()) kept.push_back(transition);
    }
    pipeline.transitions = std::move(kept);
}

Stage makeStage(std::string_view name, StageKind kind, std::int64_t probability)
{
    Stage stage;
    stage.name = name;
    stage.kind = kind;
    stage.probability = probability;
    return stage;
}

} // namespace

Pipeline standardPipeline(std::string_view currency, Instant now)
{
    Pipeline pipeline;
    pipeline.name = "Sales";
    pipeline.isDefault = true;
    pipeline.stages = {makeStage("New", StageKind::Open, 5),          makeStage("Contacted", StageKind::Open, 15),
                       makeStage("Qualified", StageKind::Open, 30),   makeStage("Proposal", StageKind::Open, 55),
                       makeStage("Negotiation", StageKind::Open, 80), makeStage("Won", StageKind::Won, 100),
                       makeStage("Lost", StageKind::Lost, 0)};
    complete(pipeline, nullptr, currency, now);
    return pipelineTable.stamped(std::move(pipeline), {now});
}

void complete(Pipeline& pipeline, const Pipeline* before, std::string_view currency, Instant now)
{
    Errors errors;
    if (pipeline.currency.empty()) pipeline.currency = currency;
    const auto names = nameStages(pipeline.stages, before, now, errors);
    completeTransitions(pipeline, before, names, errors);
    completeStages(pipeline.stages);
    pipeline.moveTo.clear();
    if (before && before->isDefault && !pipeline.isDefault)
        errors.push_back({"isDefault", "required", "There is always a default: make another pipeline it"});
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
}

std::vector<StageId> removedStages(const Pipeline& before, const Pipeline& after)
{
    std::vector<StageId> removed;
    for (const auto& stage : before.stages)
        if (!after.stage(stage.stageId)) removed.push_back(stage.stageId);
    return removed;
}

std::map<StageId, StageId> targetsOf(const std::map<std::string, StageId>& moveTo, const std::vector<StageId>& removed,
                                     const Pipeline& after)
{
    std::map<StageId, StageId> targets;
    Errors errors;
    for (const auto& [from, to] : moveTo)
    {
        const auto stage = StageId::parse(from);
        if (!stage || std::find(removed.begin(), removed.end(), *stage) == removed.end())
            errors.push_back({"moveTo." + from, "unknown_stage", "Not a stage that this change removes"});
        else if (!after.stage(to))
            errors.push_back({"moveTo." + from, "unknown_stage", "Cards can go to a stage that the pipeline has after the change"});
        else
            targets.emplace(*stage, to);
    }
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
    return targets;
}

} // namespace portico::crm
