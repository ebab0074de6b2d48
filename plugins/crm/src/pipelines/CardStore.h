#pragma once

#include "pipelines/CardRow.h"
#include "pipelines/Pipeline.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The rows of cards, and what contacts show of them. Cards of deleted contacts are hidden (ContactStore sees to it) and keep their places,
/// so that they come back with them: what counts or names cards leaves them out. Every statement names the organization. Holds SQL only, so
/// one object serves all threads.
class CardStore
{
public:
    CardStore();

    /// Locks a contact; false if there is none, or it is deleted.
    bool lockContact(Transaction& transaction, Tenant tenant, const ContactId& contactId) const;
    /// Locks the contacts that have cards on a stage, deleted ones too.
    void lockContacts(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId) const;

    std::optional<CardRow> find(Session& session, Tenant tenant, const PipelineId& pipelineId, const ContactId& contactId) const;
    /// All cards of a contact, by pipeline.
    std::vector<CardRow> ofContact(Session& session, Tenant tenant, const ContactId& contactId) const;
    /// All cards of a stage in their order.
    std::vector<CardRow> ofStage(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId) const;
    /// Cards of each stage that has some.
    std::map<StageId, std::int64_t> counts(Session& session, Tenant tenant, const PipelineId& pipelineId) const;

    /// Position of a contact's card on a stage; empty if it has none there or is deleted.
    std::string positionOf(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId,
                           const ContactId& contactId) const;
    /// Position of the next card before or after one, without the card of a contact; empty at the end of the stage. An empty `position`
    /// stands behind the last card.
    std::string positionBefore(Session& session, Tenant tenant, const CardRow& without, std::string_view position) const;
    std::string positionAfter(Session& session, Tenant tenant, const CardRow& without, std::string_view position) const;

    void insert(Transaction& transaction, Tenant tenant, const CardRow& card) const;
    void update(Transaction& transaction, Tenant tenant, const CardRow& card) const;
    void erase(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const ContactId& contactId) const;
    /// Gives a card to another contact, which has none there and is not deleted.
    void give(Transaction& transaction, Tenant tenant, const CardRow& card, const ContactId& to) const;

    /// Writes new, short positions for all cards of a stage, in the order that they have.
    void respace(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId) const;
    /// Reckons again when the cards of a stage are stale.
    void setStaleness(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const Stage& stage) const;
    /// Writes into the contact where it stands; after every change of its cards.
    void writePlaces(Transaction& transaction, Tenant tenant, const ContactId& contactId) const;

private:
    std::string _select;
};

/// From when on a card on the stage is stale.
std::optional<Instant> staleFrom(const Stage& stage, Instant since);

} // namespace portico::crm
