#pragma once

#include "pipelines/Pipeline.h"

#include "portico/Table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Stored card of a contact on a board.
struct CardRow
{
    PipelineId pipelineId;
    ContactId contactId;
    StageId stageId;
    /// Order key within the stage.
    std::string position;
    Instant since{};
    /// From when on it is stale; empty: never.
    std::optional<Instant> staleAt;
    /// Minor units of the pipeline's currency.
    std::optional<std::int64_t> value;
    /// Its contact is deleted, for now.
    bool hidden = false;
    bool operator==(const CardRow&) const = default;
};

constexpr auto schemaOf(const CardRow*)
{
    return describe(members<&CardRow::pipelineId, &CardRow::contactId, &CardRow::stageId, &CardRow::position, &CardRow::since,
                            &CardRow::staleAt, &CardRow::value, &CardRow::hidden>());
}

// Cards of deleted contacts are hidden (by ContactStore) and keep their positions for a restore. Counts and lists leave them out.

inline constexpr Table cardTable{"pipeline_card", &CardRow::pipelineId, &CardRow::contactId};

/// Locks a contact. Its version; empty if there is none, or it is deleted.
std::optional<std::int64_t> lockContact(Transaction& transaction, Tenant tenant, const ContactId& contactId);
/// Locks the contacts that have cards on a stage, deleted ones too.
void lockContacts(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId);

/// All cards of a contact, by pipeline.
std::vector<CardRow> cardsOfContact(Session& session, Tenant tenant, const ContactId& contactId);
/// All cards of a stage in their order.
std::vector<CardRow> cardsOfStage(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId);
/// Cards of each stage that has some.
std::map<StageId, std::int64_t> countCards(Session& session, Tenant tenant, const PipelineId& pipelineId);

/// Returns the position of a contact's card on a stage; empty if it has none there or is deleted.
std::string cardPosition(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId, const ContactId& contactId);
/// Return the position of the next card before or after one, ignoring the card of a contact. Empty at the end of the stage. An empty
/// `position` is behind the last card.
std::string positionBefore(Session& session, Tenant tenant, const CardRow& without, std::string_view position);
std::string positionAfter(Session& session, Tenant tenant, const CardRow& without, std::string_view position);

/// Returns true if the card's position on its stage has a card now.
bool isTaken(Session& session, Tenant tenant, const CardRow& card);

/// Moves a card to another contact, which must have none there and not be deleted.
void reassignCard(Transaction& transaction, Tenant tenant, const CardRow& card, const ContactId& to);
/// Writes new, short positions for all cards of a stage, in the order that they have.
void respaceCards(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId);
/// Computes again when the cards of a stage become stale.
void setStaleness(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const Stage& stage);
/// Writes the contact's places into its row. Must be called after every change of its cards.
void writePlaces(Transaction& transaction, Tenant tenant, const ContactId& contactId);

/// Returns the time at which a card on the stage becomes stale.
std::optional<Instant> staleFrom(const Stage& stage, Instant since);

} // namespace portico::crm
