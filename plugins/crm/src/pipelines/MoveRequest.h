#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::crm
{

/// Body of PUT /api/pipeline/{contactId}/move. For `stageId`, `expectedStageId` and `value`, null differs from an absent member.
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
    std::optional<Instant> movedAt;
};

constexpr auto schemaOf(const MoveRequest*)
{
    return describe(field<&MoveRequest::pipelineId>().description("Default: the organization's default pipeline"),
                    field<&MoveRequest::stageId>().description("Must be there; null takes the contact off the board"),
                    field<&MoveRequest::beforeContactId>().description("A contact on that stage"),
                    field<&MoveRequest::afterContactId>().description("A contact on that stage; neither: the end of the stage"),
                    field<&MoveRequest::expectedStageId>().description(
                        "Refuses the move with 400 stage_changed if the contact is on another stage; null: on no stage"),
                    // The largest integer that every JSON client reads exactly.
                    field<&MoveRequest::value>()
                        .range(0, 9007199254740991)
                        .description("Minor units of the pipeline's currency; left out: unchanged, null: none"),
                    field<&MoveRequest::note>().maxLength(1000),
                    field<&MoveRequest::lostReason>().trimmed().maxLength(300).description("Kept when the stage is a lost one"),
                    field<&MoveRequest::movedAt>().description(
                        "When it came there, for boards that are carried over from elsewhere: not in the future, not before the contact's "
                        "last move, and only with the permission contacts:import. Default: now"));
}

/// Answer to a move.
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

constexpr auto schemaOf(const MoveResult*)
{
    return describe(members<&MoveResult::contactId, &MoveResult::pipelineId, &MoveResult::fromStageId, &MoveResult::toStageId,
                            &MoveResult::position, &MoveResult::movedAt>(),
                    field<&MoveResult::historyId>().description("null when the stage stayed the same: that makes no history"));
}

} // namespace portico::crm
