#pragma once

#include "Ids.h"
#include "pipelines/Currency.h"

#include "portico/Schema.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The type of resource to which API keys are bound.
constexpr std::string_view pipelineResource = "pipeline";

enum class StageKind
{
    Open,
    Won,
    Lost
};

struct Stage
{
    /// Empty in input that adds a stage.
    StageId stageId;
    std::string name;
    /// Where the stage stands; always there in what is stored, as are probability and color.
    std::optional<std::int64_t> order;
    StageKind kind = StageKind::Open;
    std::optional<std::int64_t> probability;
    std::string color;
    std::optional<std::int64_t> staleAfterDays;
    /// Cards, where it was counted.
    std::optional<std::int64_t> count;
    bool operator==(const Stage&) const = default;
};

/// A move that is allowed.
struct Transition
{
    StageId from;
    StageId to;
    bool operator==(const Transition&) const = default;
};

/// A pipeline: as it is written, answered and stored.
struct Pipeline
{
    PipelineId pipelineId;
    std::string name;
    bool isDefault = false;
    std::string currency;
    std::vector<Stage> stages;
    /// Empty: every move is allowed.
    std::optional<std::vector<Transition>> transitions;
    bool requireLostReason = false;
    Instant createdAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
    /// Input of a change only: where the cards of stages that it removes go.
    std::map<std::string, StageId> moveTo;
    bool operator==(const Pipeline&) const = default;

    /// The stage, or null.
    const Stage* stage(const StageId& id) const noexcept;
    bool allows(const StageId& from, const StageId& to) const noexcept;
};

bool isColor(std::string_view text);

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::StageKind>
{
    using S = portico::crm::StageKind;
    static constexpr auto choices = portico::choices<S>({{"open", S::Open}, {"won", S::Won}, {"lost", S::Lost}});
};

template <>
struct portico::Schema<portico::crm::Stage>
{
    using T = portico::crm::Stage;
    static constexpr auto fields = describe(
        field("stageId", &T::stageId).description("Left out for a stage to be added"), field("name", &T::name).required().maxLength(60),
        field("order", &T::order).range(0, 1000000).description("Default: behind the stage before it in the list"), field("kind", &T::kind),
        field("probability", &T::probability).range(0, 100).description("Percent; default 100 for won, else 0"),
        field("color", &T::color).matches(portico::crm::isColor, "invalid_color", "#rrggbb"),
        field("staleAfterDays", &T::staleAfterDays)
            .range(1, 3650)
            .description("Days after which a card on this stage is stale; null: never"),
        field("count", &T::count).readOnly().omitEmpty().description("Cards on the stage, where one pipeline is read"));
};

template <>
struct portico::Schema<portico::crm::Transition>
{
    using T = portico::crm::Transition;
    static constexpr auto fields = describe(field("from", &T::from).required(), field("to", &T::to).required());
};

template <>
struct portico::Schema<portico::crm::Pipeline>
{
    using T = portico::crm::Pipeline;
    static constexpr auto fields = describe(
        field("pipelineId", &T::pipelineId).readOnly(), field("name", &T::name).required().maxLength(100),
        field("isDefault", &T::isDefault).description("true makes it the default instead of the one that was"),
        field("currency", &T::currency)
            .matches(portico::crm::isCurrency, "invalid_currency", "a currency code of ISO 4217")
            .description("Of all values on it; default: the organization's"),
        field("stages", &T::stages)
            .required()
            .minItems(1)
            .maxItems(30)
            .description(
                "A change that leaves a stage out removes it. Ids in a new pipeline are only what its transitions refer to: it gets "
                "ids of its own"),
        field("transitions", &T::transitions)
            .maxItems(900)
            .description("The moves between stages that are allowed, reopening included; null: all"),
        field("requireLostReason", &T::requireLostReason), field("createdAt", &T::createdAt).readOnly(),
        field("updatedAt", &T::updatedAt).readOnly(), field("version", &T::version).readOnly(),
        field("moveTo", &T::moveTo)
            .writeOnly()
            .unstored()
            .description("For a change that removes stages with cards: the id of each of them and of the stage that its cards go to"));
};
