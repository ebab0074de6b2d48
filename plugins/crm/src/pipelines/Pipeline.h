#pragma once

#include "Ids.h"
#include "pipelines/Currency.h"
#include "records/ReachedPipelines.h"

#include "portico/Caller.h"
#include "portico/Table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

enum class StageKind
{
    Open,
    Won,
    Lost
};

constexpr auto schemaOf(const StageKind*)
{
    using enum StageKind;
    return portico::choices<StageKind>({{"open", Open}, {"won", Won}, {"lost", Lost}});
}

constexpr std::int64_t lastStageOrder = 1'000'000;

struct Stage
{
    /// Empty in input that adds a stage.
    StageId stageId;
    std::string name;
    /// Position of the stage. Always set in stored pipelines, like probability and color.
    std::optional<std::int64_t> order;
    StageKind kind = StageKind::Open;
    std::optional<std::int64_t> probability;
    std::string color;
    std::optional<std::int64_t> staleAfterDays;
    /// Number of cards, if counted.
    std::optional<std::int64_t> count;
    bool operator==(const Stage&) const = default;
};

bool isColor(std::string_view text);

constexpr auto schemaOf(const Stage*)
{
    return describe(
        field<&Stage::stageId>().description("Absent for a new stage"), field<&Stage::name>().required().trimmed().maxLength(60),
        field<&Stage::order>().range(0, lastStageOrder).description("Default: after the previous stage in the list"), field<&Stage::kind>(),
        field<&Stage::probability>().range(0, 100).description("Percent; default: 100 for won stages, else 0"),
        field<&Stage::color>().matches(isColor, "invalid_color", "a colour such as #1a2b3c"),
        field<&Stage::staleAfterDays>().range(1, 3650).description("Days after which a card on this stage is stale; null for never"),
        field<&Stage::count>().readOnly().omitEmpty().description("Number of cards on the stage; absent in lists"));
}

/// A move that is allowed.
struct Transition
{
    StageId from;
    StageId to;
    bool operator==(const Transition&) const = default;
};

constexpr auto schemaOf(const Transition*) { return describe(field<&Transition::from>().required(), field<&Transition::to>().required()); }

/// Pipeline in requests, answers and rows.
struct Pipeline : Versioned
{
    PipelineId pipelineId;
    std::string name;
    bool isDefault = false;
    std::string currency;
    std::vector<Stage> stages;
    /// Empty: every move is allowed.
    std::optional<std::vector<Transition>> transitions;
    bool requireLostReason = false;
    /// Only in changes: target stages for the cards of removed stages.
    std::map<std::string, StageId> moveTo;
    bool operator==(const Pipeline&) const = default;

    /// The stage, or null.
    const Stage* stage(const StageId& id) const noexcept;
    bool allows(const StageId& from, const StageId& to) const noexcept;
};

constexpr auto schemaOf(const Pipeline*)
{
    return describe(
        field<&Pipeline::pipelineId>().readOnly(), field<&Pipeline::name>().required().trimmed().maxLength(100),
        field<&Pipeline::isDefault>().description("True replaces the current default pipeline"),
        field<&Pipeline::currency>()
            .matches(isCurrency, "invalid_currency", "a currency code of ISO 4217")
            .description("Currency of all values in the pipeline; default: the organization's"),
        field<&Pipeline::stages>().required().minItems(1).maxItems(30).description(
            "An update removes absent stages. IDs in a new pipeline only serve as references of its "
            "transitions and are replaced"),
        field<&Pipeline::transitions>().maxItems(900).description("Allowed moves between stages, including reopening; null allows all"),
        field<&Pipeline::requireLostReason>(), versioned<Pipeline>(),
        field<&Pipeline::moveTo>().writeOnly().transient().description(
            "Target stages by the IDs of removed stages; required for stages with cards"));
}

// Lock order of changes to cards, which prevents deadlocks: pipelines by id, then contacts by id, then cards. On PostgreSQL the lock of a
// pipeline prevents duplicate positions; SQLite has one writer.

inline constexpr Table pipelineTable{"pipeline", &Pipeline::pipelineId};

/// Returns a page of the pipelines that the caller can access, in the order of creation.
Page<Pipeline> listPipelines(Session& session, const Caller& caller, const Paging& paging);
/// All of the organization's, in the order of creation.
std::vector<Pipeline> allPipelines(Session& session, Tenant tenant);
/// The same, for changing what pipelines there are.
std::vector<Pipeline> lockPipelines(Transaction& transaction, Tenant tenant);
/// The default one, for changing it or its cards: no other writer does until the transaction ends.
std::optional<Pipeline> lockDefaultPipeline(Transaction& transaction, Tenant tenant);

} // namespace portico::crm
