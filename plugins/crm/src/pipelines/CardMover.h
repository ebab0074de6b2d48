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

/// Where a contact is put, and what is written about it.
struct Placement
{
    ContactId contactId;
    /// Empty: off the board.
    std::optional<StageId> stageId;
    /// Contacts on that stage between which it stands; neither: the end.
    std::optional<ContactId> beforeContactId = {};
    std::optional<ContactId> afterContactId = {};
    /// Set: the stage on which it must stand now, empty for none.
    std::optional<std::optional<StageId>> expectedStageId = {};
    /// Of the contact.
    IfMatch ifMatch = IfMatch("");
    /// Set: the new value, empty for none.
    std::optional<std::optional<std::int64_t>> value = {};
    std::string note = {};
    std::string lostReason = {};
    std::string movedBy = {};
    /// Empty: now.
    std::optional<Instant> movedAt = {};
    MoveSource source = MoveSource::Board;
    /// It is part of something that tells of itself: no event.
    bool silent = false;
    /// It takes a move back: whatever the pipeline asks of moves.
    bool takesBack = false;
};

/// Moves cards, each with its history, its event (unless it is silent) and what the contact shows of it, in the
/// caller's transaction. Thread-safe.
class CardMover
{
public:
    explicit CardMover(PluginContext& context) : _context(context) {}

    /// Puts a contact onto a stage of a pipeline that the transaction has locked. @throws Problem 404 when there is
    /// no such contact, 400 `validation_failed`, `stage_changed`, `move_not_allowed`; after these the transaction may go on, as nothing was
    /// written.
    MoveResult place(Transaction& transaction, Tenant tenant, const Pipeline& pipeline, const Placement& placement) const;

    /// Takes all cards of a stage, those of deleted contacts too, to the end of another, of a pipeline that is locked as well. A contact
    /// that stands on that pipeline already keeps its place there; a value is left behind in the note when the currency is another.
    void moveStage(Transaction& transaction, Tenant tenant, std::string_view movedBy, const Pipeline& from, const StageId& fromStage,
                   const Pipeline& to, const StageId& toStage) const;
    /// Takes all cards of a stage off the board, those of deleted contacts too.
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
    /// along is kept. @throws Problem 400 when that is in the future, or before the last one.
    HistoryEntry record(Transaction& transaction, Tenant tenant, HistoryEntry entry, const std::optional<CardRow>& left,
                        bool silent = false) const;

    PluginContext& _context;
};

} // namespace portico::crm
