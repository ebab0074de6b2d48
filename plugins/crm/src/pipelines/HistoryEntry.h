#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// What made a move.
enum class MoveSource
{
    Board,
    Api,
    Import,
    /// A change of the pipeline itself, which takes its cards along.
    Automation
};

/// A move of a contact onto a board, between its stages, or off it.
struct HistoryEntry
{
    HistoryId historyId;
    ContactId contactId;
    PipelineId pipelineId;
    std::optional<StageId> fromStageId;
    std::optional<StageId> toStageId;
    Instant movedAt{};
    std::string movedBy;
    std::string note;
    std::string lostReason;
    /// Empty for the entry onto the board.
    std::optional<std::int64_t> durationInPreviousStageSeconds;
    MoveSource source = MoveSource::Board;
    bool operator==(const HistoryEntry&) const = default;
};

enum class HistorySort
{
    MovedAtDescending,
    MovedAt
};

/// Query of GET /api/pipeline/{contactId}/history.
struct HistoryFilter
{
    std::vector<PipelineId> pipelineId;
    HistorySort sort = HistorySort::MovedAtDescending;
};

/// Data of `crm.pipeline.moved`: the history entry without the texts that people wrote.
struct MoveEvent
{
    HistoryId historyId;
    ContactId contactId;
    std::string organizationId;
    PipelineId pipelineId;
    std::optional<StageId> fromStageId;
    std::optional<StageId> toStageId;
    Instant movedAt{};
    std::string movedBy;
    std::optional<std::int64_t> durationInPreviousStageSeconds;
    MoveSource source = MoveSource::Board;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::MoveSource>
{
    using S = portico::crm::MoveSource;
    static constexpr auto choices =
        portico::choices<S>({{"board", S::Board}, {"api", S::Api}, {"import", S::Import}, {"automation", S::Automation}});
};

template <>
struct portico::Schema<portico::crm::HistoryEntry>
{
    using T = portico::crm::HistoryEntry;
    static constexpr auto fields =
        describe(field("historyId", &T::historyId), field("contactId", &T::contactId), field("pipelineId", &T::pipelineId),
                 field("fromStageId", &T::fromStageId), field("toStageId", &T::toStageId), field("movedAt", &T::movedAt),
                 field("movedBy", &T::movedBy), field("note", &T::note), field("lostReason", &T::lostReason),
                 field("durationInPreviousStageSeconds", &T::durationInPreviousStageSeconds),
                 field("source", &T::source).description("automation: the pipeline was changed or deleted, which took its cards along"));
};

template <>
struct portico::Schema<portico::crm::HistorySort>
{
    using S = portico::crm::HistorySort;
    static constexpr auto choices = portico::choices<S>({{"-movedAt", S::MovedAtDescending}, {"movedAt", S::MovedAt}});
};

template <>
struct portico::Schema<portico::crm::HistoryFilter>
{
    using T = portico::crm::HistoryFilter;
    static constexpr auto fields = describe(field("pipelineId", &T::pipelineId).maxItems(50), field("sort", &T::sort));
};

template <>
struct portico::Schema<portico::crm::MoveEvent>
{
    using T = portico::crm::MoveEvent;
    static constexpr auto fields =
        describe(field("historyId", &T::historyId), field("contactId", &T::contactId), field("organizationId", &T::organizationId),
                 field("pipelineId", &T::pipelineId), field("fromStageId", &T::fromStageId), field("toStageId", &T::toStageId),
                 field("movedAt", &T::movedAt), field("movedBy", &T::movedBy),
                 field("durationInPreviousStageSeconds", &T::durationInPreviousStageSeconds), field("source", &T::source));
};
