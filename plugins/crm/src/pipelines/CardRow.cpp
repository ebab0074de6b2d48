#include "pipelines/CardRow.h"

#include "data/SqlText.h"
#include "pipelines/OrderKey.h"
#include "records/ContactParts.h"

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

std::optional<std::int64_t> lockContact(Transaction& transaction, Tenant tenant, const ContactId& contactId)
{
    return transaction.value<std::int64_t>("SELECT version FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL" +
                                               std::string(forUpdate(transaction)),
                                           tenant, contactId);
}

void lockContacts(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId)
{
    if (transaction.dialect() == Dialect::SQLite) return;
    for ([[maybe_unused]] Row row :
         transaction.query("SELECT 1 FROM contact WHERE organization_id = $1 AND id IN (SELECT contact_id FROM pipeline_card" +
                               std::string(onStage) + ") ORDER BY id FOR UPDATE",
                           tenant, pipelineId, stageId))
        continue;
}

std::vector<CardRow> cardsOfContact(Session& session, Tenant tenant, const ContactId& contactId)
{
    return cardTable.select(tenant).where(&CardRow::contactId, contactId).orderBy(&CardRow::pipelineId).all(session);
}

std::vector<CardRow> cardsOfStage(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId)
{
    return cardTable.select(tenant)
        .where(&CardRow::pipelineId, pipelineId)
        .where(&CardRow::stageId, stageId)
        .orderBy(&CardRow::position)
        .all(session);
}

std::map<StageId, std::int64_t> countCards(Session& session, Tenant tenant, const PipelineId& pipelineId)
{
    std::map<StageId, std::int64_t> counts;
    for (Row row :
         session.query("SELECT stage_id, count(*) FROM pipeline_card WHERE organization_id = $1 AND pipeline_id = $2 AND NOT hidden "
                       "GROUP BY stage_id",
                       tenant, pipelineId))
        counts[row.get<StageId>(0)] = row.get<std::int64_t>(1);
    return counts;
}

std::string cardPosition(Session& session, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId, const ContactId& contactId)
{
    return session
        .value<std::string>("SELECT position FROM pipeline_card" + std::string(onStage) + " AND contact_id = $4 AND NOT hidden", tenant,
                            pipelineId, stageId, contactId)
        .value_or(std::string());
}

std::string positionBefore(Session& session, Tenant tenant, const CardRow& without, std::string_view position)
{
    return session
        .value<std::string>("SELECT position FROM pipeline_card" + std::string(onStage) +
                                " AND position < $4 AND contact_id <> $5 ORDER BY position DESC LIMIT 1",
                            tenant, without.pipelineId, without.stageId, position.empty() ? behindAll : position, without.contactId)
        .value_or(std::string());
}

std::string positionAfter(Session& session, Tenant tenant, const CardRow& without, std::string_view position)
{
    return session
        .value<std::string>("SELECT position FROM pipeline_card" + std::string(onStage) +
                                " AND position > $4 AND contact_id <> $5 ORDER BY position LIMIT 1",
                            tenant, without.pipelineId, without.stageId, position.empty() ? behindAll : position, without.contactId)
        .value_or(std::string());
}

bool isTaken(Session& session, Tenant tenant, const CardRow& card)
{
    return cardTable.select(tenant)
        .where(&CardRow::pipelineId, card.pipelineId)
        .where(&CardRow::stageId, card.stageId)
        .where(&CardRow::position, card.position)
        .exists(session);
}

void reassignCard(Transaction& transaction, Tenant tenant, const CardRow& card, const ContactId& to)
{
    transaction.execute("UPDATE pipeline_card SET contact_id = $4, hidden = FALSE" + std::string(ofCard), tenant, card.pipelineId,
                        card.contactId, to);
}

void respaceCards(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const StageId& stageId)
{
    const auto cards = cardsOfStage(transaction, tenant, pipelineId, stageId);
    const auto keys = freshKeys(cards.size());
    // Out of the way first: on the way no two cards may have one position.
    transaction.execute("UPDATE pipeline_card SET position = '~' || contact_id" + std::string(onStage), tenant, pipelineId, stageId);
    for (std::size_t i = 0; i < cards.size(); ++i)
        transaction.execute("UPDATE pipeline_card SET position = $4" + std::string(ofCard), tenant, pipelineId, cards[i].contactId,
                            keys[i]);
    for (const auto& card : cards) writePlaces(transaction, tenant, card.contactId);
}

void setStaleness(Transaction& transaction, Tenant tenant, const PipelineId& pipelineId, const Stage& stage)
{
    constexpr std::int64_t millisecondsPerDay = 86'400'000;
    if (stage.staleAfterDays)
        transaction.execute("UPDATE pipeline_card SET stale_at = since + $4" + std::string(onStage), tenant, pipelineId, stage.stageId,
                            *stage.staleAfterDays * millisecondsPerDay);
    else
        transaction.execute("UPDATE pipeline_card SET stale_at = NULL" + std::string(onStage), tenant, pipelineId, stage.stageId);
}

void writePlaces(Transaction& transaction, Tenant tenant, const ContactId& contactId)
{
    const auto places = transaction.all<PipelinePlace>(
        "SELECT " + columns<PipelinePlace>() + " FROM pipeline_card WHERE organization_id = $1 AND contact_id = $2 ORDER BY pipeline_id",
        tenant, contactId);
    transaction.execute("UPDATE contact SET places = $3 WHERE organization_id = $1 AND id = $2", tenant, contactId, toJson(places));
}

} // namespace portico::crm
