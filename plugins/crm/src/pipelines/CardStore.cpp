#include "pipelines/CardStore.h"

#include "contacts/ContactParts.h"
#include "data/SqlText.h"
#include "pipelines/OrderKey.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::crm
{

namespace
{

constexpr std::string_view onStage = " WHERE organization_id = $1 AND pipeline_id = $2 AND stage_id = $3";
constexpr std::string_view ofCard = " WHERE organization_id = $1 AND pipeline_id = $2 AND contact_id = $3";

/// No key: sorts behind all of them.
constexpr std::string_view behindAll = "~";

} // namespace

std::optional<Instant> staleFrom(const Stage& stage, Instant since)
{
    if (!stage.staleAfterDays) return std::nullopt;
    return since + std::chrono::hours(24) * *stage.staleAfterDays;
}

CardStore::CardStore() : _select("SELECT " + columns<CardRow>() + " FROM pipeline_card") {}

bool CardStore::lockContact(Transaction& transaction, Tenant tenant, const ContactId& contactId) const
{
    return transaction
        .value<std::int64_t>("SELECT 1 FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL" +
                                 std::string(forUpdate(transaction)),
                             tenant, contactId)
        .has_value();
}

void CardStore::lockContacts(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId) const
{
    if (transaction.dialect() == Dialect::SQLite) return;
    for ([[maybe_unused]] Row row :
         transaction.query("SELECT 1 FROM contact WHERE organization_id = $1 AND id IN (SELECT contact_id FROM pipeline_card" +
                               std::string(onStage) + ") ORDER BY id FOR UPDATE",
                           tenant, pipelineId, stageId))
        continue;
}

std::optional<CardRow> CardStore::find(Session& session, Tenant tenant, const PipelineId& pipelineId, const ContactId& contactId) const
{
    return session.one<CardRow>(_select + std::string(ofCard), tenant, pipelineId, contactId);
}

std::vector<CardRow> CardStore::ofContact(Session& session, Tenant tenant, const ContactId& contactId) const
{
    return session.all<CardRow>(_select + " WHERE organization_id = $1 AND contact_id = $2 ORDER BY pipeline_id", tenant, contactId);
}

std::vector<CardRow> CardStore::ofStage(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId) const
{
    return session.all<CardRow>(_select + std::string(onStage) + " ORDER BY position", tenant, pipelineId, stageId);
}

std::map<StageId, std::int64_t> CardStore::counts(Session& session, Tenant tenant, const PipelineId& pipelineId) const
{
    std::map<StageId, std::int64_t> counts;
    for (Row row :
         session.query("SELECT stage_id, count(*) FROM pipeline_card WHERE organization_id = $1 AND pipeline_id = $2 AND NOT hidden "
                       "GROUP BY stage_id",
                       tenant, pipelineId))
        counts[row.get<StageId>(0)] = row.get<std::int64_t>(1);
    return counts;
}

std::string CardStore::positionOf(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId,
                                  const ContactId& contactId) const
{
    return session
        .value<std::string>("SELECT position FROM pipeline_card" + std::string(onStage) + " AND contact_id = $4 AND NOT hidden", tenant,
                            pipelineId, stageId, contactId)
        .value_or(std::string());
}

std::string CardStore::positionBefore(Session& session, Tenant tenant, const CardRow& without, std::string_view position) const
{
    return session
        .value<std::string>("SELECT position FROM pipeline_card" + std::string(onStage) +
                                " AND position < $4 AND contact_id <> $5 ORDER BY position DESC LIMIT 1",
                            tenant, without.pipelineId, without.stageId, position.empty() ? behindAll : position, without.contactId)
        .value_or(std::string());
}

std::string CardStore::positionAfter(Session& session, Tenant tenant, const CardRow& without, std::string_view position) const
{
    return session
        .value<std::string>("SELECT position FROM pipeline_card" + std::string(onStage) +
                                " AND position > $4 AND contact_id <> $5 ORDER BY position LIMIT 1",
                            tenant, without.pipelineId, without.stageId, position.empty() ? behindAll : position, without.contactId)
        .value_or(std::string());
}

void CardStore::insert(Transaction& transaction, Tenant tenant, const CardRow& card) const
{
    transaction.insert("pipeline_card", card, {"organization_id"}, tenant);
}

void CardStore::update(Transaction& transaction, Tenant tenant, const CardRow& card) const
{
    transaction.update("pipeline_card", card, {}, {"organization_id", "pipeline_id", "contact_id"}, tenant, card.pipelineId,
                       card.contactId);
}

void CardStore::erase(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const ContactId& contactId) const
{
    transaction.execute("DELETE FROM pipeline_card" + std::string(ofCard), tenant, pipelineId, contactId);
}

void CardStore::give(Transaction& transaction, Tenant tenant, const CardRow& card, const ContactId& to) const
{
    transaction.execute("UPDATE pipeline_card SET contact_id = $4, hidden = FALSE" + std::string(ofCard), tenant, card.pipelineId,
                        card.contactId, to);
}

void CardStore::respace(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId) const
{
    const auto cards = ofStage(transaction, tenant, pipelineId, stageId);
    const auto keys = freshKeys(cards.size());
    // Out of the way first: on the way no two cards may have one position.
    transaction.execute("UPDATE pipeline_card SET position = '~' || contact_id" + std::string(onStage), tenant, pipelineId, stageId);
    for (std::size_t i = 0; i < cards.size(); ++i)
        transaction.execute("UPDATE pipeline_card SET position = $4" + std::string(ofCard), tenant, pipelineId, cards[i].contactId,
                            keys[i]);
    for (const auto& card : cards) writePlaces(transaction, tenant, card.contactId);
}

void CardStore::setStaleness(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const Stage& stage) const
{
    constexpr std::int64_t millisecondsPerDay = 86'400'000;
    if (stage.staleAfterDays)
        transaction.execute("UPDATE pipeline_card SET stale_at = since + $4" + std::string(onStage), tenant, pipelineId, stage.stageId,
                            *stage.staleAfterDays * millisecondsPerDay);
    else
        transaction.execute("UPDATE pipeline_card SET stale_at = NULL" + std::string(onStage), tenant, pipelineId, stage.stageId);
}

void CardStore::writePlaces(Transaction& transaction, Tenant tenant, const ContactId& contactId) const
{
    const auto places = transaction.all<PipelinePlace>(
        "SELECT " + columns<PipelinePlace>() + " FROM pipeline_card WHERE organization_id = $1 AND contact_id = $2 ORDER BY pipeline_id",
        tenant, contactId);
    transaction.execute("UPDATE contact SET places = $3 WHERE organization_id = $1 AND id = $2", tenant, contactId, toJson(places));
}

} // namespace portico::crm
