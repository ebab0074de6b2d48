#pragma once

#include "Ids.h"

#include "portico/Caller.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Origin of a move.
enum class MoveSource
{
    Board,
    Api,
    Import,
    /// A change of the pipeline, which moves its cards, or a bulk change.
    Automation
};

constexpr auto schemaOf(const MoveSource*)
{
    using enum MoveSource;
    return portico::choices<MoveSource>({{"board", Board}, {"api", Api}, {"import", Import}, {"automation", Automation}});
}

/// Card before a move, without the members that its history entry has.
struct FormerCard
{
    std::string position;
    Instant since{};
    std::optional<std::int64_t> value;
    bool operator==(const FormerCard&) const = default;
};

constexpr auto schemaOf(const FormerCard*) { return describe(members<&FormerCard::position, &FormerCard::since, &FormerCard::value>()); }

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
    /// Restored by an undo of the move. Empty for the entry onto the board, and for entries that older versions have stored.
    std::optional<FormerCard> former;
    bool operator==(const HistoryEntry&) const = default;
};

constexpr auto schemaOf(const HistoryEntry*)
{
    return describe(
        members<&HistoryEntry::historyId, &HistoryEntry::contactId, &HistoryEntry::pipelineId, &HistoryEntry::fromStageId,
                &HistoryEntry::toStageId, &HistoryEntry::movedAt, &HistoryEntry::movedBy, &HistoryEntry::note, &HistoryEntry::lostReason,
                &HistoryEntry::durationInPreviousStageSeconds>(),
        field<&HistoryEntry::source>().description("`automation` for bulk changes and for changes or deletions of the pipeline"),
        field<&HistoryEntry::former>().columnOnly());
}

enum class HistorySort
{
    MovedAtDescending,
    MovedAt
};

constexpr auto schemaOf(const HistorySort*)
{
    using enum HistorySort;
    return portico::choices<HistorySort>({{"-movedAt", MovedAtDescending}, {"movedAt", MovedAt}});
}

/// Query of GET /api/pipeline/{contactId}/history.
struct HistoryFilter
{
    std::vector<PipelineId> pipelineId;
    HistorySort sort = HistorySort::MovedAtDescending;
};

constexpr auto schemaOf(const HistoryFilter*)
{
    return describe(field<&HistoryFilter::pipelineId>().maxItems(50), field<&HistoryFilter::sort>());
}

inline constexpr Table historyTable{"pipeline_history", &HistoryEntry::historyId};

/// A page of the contact's moves, on the pipelines that the caller reaches. The caller has made sure that the contact exists.
Page<HistoryEntry> listHistory(Session& session, const Caller& caller, const ContactId& contactId, const HistoryFilter& filter,
                               const Paging& paging);
/// The contact's latest entry; without one, one without id and time.
HistoryEntry latestMove(Session& session, Tenant tenant, const ContactId& contactId);
/// Returns the entries of contacts, without those of undone bulk changes and of their undoing. Sorted by contact, pipeline and time.
std::vector<HistoryEntry> standingMoves(Session& session, Tenant tenant, const std::vector<ContactId>& contactIds);
/// Moves a contact's history to another. Returns the ids of the entries.
std::vector<HistoryId> reassignHistory(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to);
/// Moves these entries of a contact to another.
void moveHistory(Transaction& transaction, Tenant tenant, const std::vector<HistoryId>& entries, const ContactId& from,
                 const ContactId& to);

/// Data of `crm.pipeline.moved`: the history entry without the texts that people wrote.
struct MoveEvent : HistoryEntry
{
    std::string organizationId;
};

constexpr auto schemaOf(const MoveEvent*)
{
    return describe(members<&MoveEvent::historyId, &MoveEvent::contactId, &MoveEvent::organizationId, &MoveEvent::pipelineId,
                            &MoveEvent::fromStageId, &MoveEvent::toStageId, &MoveEvent::movedAt, &MoveEvent::movedBy,
                            &MoveEvent::durationInPreviousStageSeconds, &MoveEvent::source>());
}

} // namespace portico::crm
