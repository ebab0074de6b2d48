#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::crm
{

/// Body of PUT /api/pipeline/{contactId}/move. What is left out differs from null for `stageId`, `expectedStageId` and `value`.
struct MoveRequest
{
    std::optional<PipelineId> pipelineId;
    std::optional<StageId> stageId;
    std::optional<ContactId> beforeContactId;
    std::optional<ContactId> afterContactId;
    std::optional<StageId> expectedStageId;
    std::optional<std::int64_t> value;
    std::string note;
    std::string lostReason;
};

/// Its answer.
struct MoveResult
{
    ContactId contactId;
    PipelineId pipelineId;
    std::optional<StageId> fromStageId;
    std::optional<StageId> toStageId;
    std::optional<std::string> position;
    Instant movedAt{};
    std::optional<HistoryId> historyId;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::MoveRequest>
{
    using T = portico::crm::MoveRequest;
    static constexpr auto fields =
        describe(field("pipelineId", &T::pipelineId).description("Default: the organization's default pipeline"),
                 field("stageId", &T::stageId).description("Must be there; null takes the contact off the board"),
                 field("beforeContactId", &T::beforeContactId).description("A contact on that stage"),
                 field("afterContactId", &T::afterContactId).description("A contact on that stage; neither: the end of the stage"),
                 field("expectedStageId", &T::expectedStageId)
                     .description("Refuses the move with 400 stage_changed when the contact stands elsewhere by now; null: on no stage"),
                 // The largest integer that every JSON client reads exactly.
                 field("value", &T::value)
                     .range(0, 9007199254740991)
                     .description("Minor units of the pipeline's currency; left out: unchanged, null: none"),
                 field("note", &T::note).maxLength(1000),
                 field("lostReason", &T::lostReason).maxLength(300).description("Kept when the stage is a lost one"));
};

template <>
struct portico::Schema<portico::crm::MoveResult>
{
    using T = portico::crm::MoveResult;
    static constexpr auto fields =
        describe(field("contactId", &T::contactId), field("pipelineId", &T::pipelineId), field("fromStageId", &T::fromStageId),
                 field("toStageId", &T::toStageId), field("position", &T::position), field("movedAt", &T::movedAt),
                 field("historyId", &T::historyId).description("null when the stage stayed the same: that makes no history"));
};
