#pragma once

#include "pipelines/CardRow.h"
#include "pipelines/MoveRequest.h"
#include "pipelines/Pipeline.h"
#include "records/HistoryEntry.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace portico::crm
{

/// Target of a move, with the data of its history entry.
struct Placement
{
    ContactId contactId;
    /// Empty: off the board.
    std::optional<StageId> stageId;
    /// Neighbors on that stage; neither: the end.
    std::optional<ContactId> beforeContactId = {};
    std::optional<ContactId> afterContactId = {};
    /// Expected current stage, if set; empty value: none.
    std::optional<std::optional<StageId>> expectedStageId = {};
    /// Version of the contact.
    IfMatch ifMatch = IfMatch("");
    /// New value, if set; empty value: none.
    std::optional<std::optional<std::int64_t>> value = {};
    std::string note = {};
    std::string lostReason = {};
    std::string movedBy = {};
    /// Empty: now.
    std::optional<Instant> movedAt = {};
    MoveSource source = MoveSource::Board;
    /// Publishes no event, because the caller publishes one for the whole operation.
    bool silent = false;
    /// Reverts a move: skips the pipeline's rules for moves.
    bool takesBack = false;
    /// Card before the reverted move, if known: its time, its place and the value of an erased card are restored. If another card has the
    /// place now, the card follows it.
    std::optional<CardRow> former = {};
};

/// Moves cards with their history, their event (unless silent) and the contact's places. Runs in the caller's transaction. Thread-safe.
class CardMover
{
public:
    explicit CardMover(PluginContext& context) : _context(context) {}

    /// Places a contact on a stage of a pipeline that the transaction has locked.
    /// @throws Problem 404 for an unknown contact; 400 `validation_failed`, `stage_changed`, `move_not_allowed`, after which the
    /// transaction may continue because nothing was written
    MoveResult place(Transaction& transaction, Tenant tenant, const Pipeline& pipeline, const Placement& placement) const;

    /// Moves all cards of a stage, including those of deleted contacts, to the end of another stage. Both pipelines must be locked. A
    /// contact that already has a card on that pipeline keeps its place there. If the currency differs, the value is noted as text.
    void moveStage(Transaction& transaction, Tenant tenant, std::string_view movedBy, const Pipeline& from, const StageId& fromStage,
                   const Pipeline& to, const StageId& toStage) const;
    /// Removes all cards of a stage, including those of deleted contacts.
    void clearStage(Transaction& transaction, Tenant tenant, std::string_view movedBy, const Pipeline& from,
                    const StageId& fromStage) const;

private:
    using Gap = std::pair<std::string, std::string>;

    Gap gapFor(Transaction& transaction, Tenant tenant, const CardRow& card, const Placement& placement) const;
    std::string positionFor(Transaction& transaction, Tenant tenant, const CardRow& card, const Placement& placement) const;
    MoveResult takeOff(Transaction& transaction, Tenant tenant, const std::optional<CardRow>& card, const Pipeline& pipeline,
                       const Placement& placement) const;
    void takeAlong(Transaction& transaction, Tenant tenant, std::string_view movedBy, const CardRow& card, const Pipeline& from,
                   const CardRow& target, const Pipeline& to) const;
    /// Writes a history entry, its id and time later than those of the contact's last one, with its event. A time that the entry brings
    /// along is kept.
    /// @throws Problem 400 when that is in the future, or before the last one.
    HistoryEntry record(Transaction& transaction, Tenant tenant, HistoryEntry entry, const std::optional<CardRow>& left,
                        bool silent = false) const;

    PluginContext& _context;
};

} // namespace portico::crm
