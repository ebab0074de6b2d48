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
    std::optional<HistoryId> undoHistoryId;
};

constexpr auto schemaOf(const MoveRequest*)
{
    return describe(
        field<&MoveRequest::pipelineId>().description("Default: the organization's default pipeline"),
        field<&MoveRequest::stageId>().description("Required; null removes the contact from the board"),
        field<&MoveRequest::beforeContactId>().description("Places the card before the card of this contact"),
        field<&MoveRequest::afterContactId>().description(
            "Places the card after the card of this contact. Without this and `beforeContactId`: the end of the stage"),
        field<&MoveRequest::expectedStageId>().description(
            "Stage that the contact must be on, else 400 `stage_changed`; null for no stage"),
        // The largest integer that every JSON client reads exactly.
        field<&MoveRequest::value>()
            .range(0, 9007199254740991)
            .description("Minor units of the pipeline's currency; absent: unchanged, null: no value"),
        field<&MoveRequest::note>().maxLength(1000),
        field<&MoveRequest::lostReason>().trimmed().maxLength(300).description("Stored only if the stage is of the kind `lost`"),
        field<&MoveRequest::movedAt>().description(
            "Time of the move, for imported boards; default: now. Requires the permission contacts:import. "
            "Must not be in the future or before the contact's last move"),
        field<&MoveRequest::undoHistoryId>().description(
            "Undoes this move: restores the position and the time on the stage. If the move removed the card, its value is restored, too. "
            "`stageId` must be the stage that the move left. Transitions and required reasons are not checked. 400 `stage_changed` if the "
            "contact was moved since"));
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
                    field<&MoveResult::historyId>().description("null if the stage is unchanged"));
}

} // namespace portico::crm
