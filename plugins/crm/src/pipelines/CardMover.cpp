#include "pipelines/CardMover.h"

#include "pipelines/OrderKey.h"

#include "portico/Json.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace portico::crm
{

/// Data of `crm.pipeline.card_changed`: its place among the others of its stage, or its value.
struct CardEvent
{
    ContactId contactId;
    PipelineId pipelineId;
    StageId stageId;
    std::string organizationId;
};

constexpr auto schemaOf(const CardEvent*)
{
    return describe(members<&CardEvent::contactId, &CardEvent::pipelineId, &CardEvent::stageId, &CardEvent::organizationId>());
}

namespace
{

Problem notOnStage(std::string_view field)
{
    return Problem::invalid(field, "not_on_stage", "This contact is not another one on that stage");
}

void checkExpectation(const std::optional<StageId>& current, const Placement& placement)
{
    if (!placement.expectedStageId || *placement.expectedStageId == current) return;
    throw Problem::badRequest("stage_changed", "The contact is on another stage now.")
        .withDetails("{\"currentStageId\":" + toJson(current) + "}");
}

void checkTransition(const Pipeline& pipeline, const StageId& from, const StageId& to)
{
    if (pipeline.allows(from, to)) return;
    std::vector<StageId> allowed;
    for (const auto& stage : pipeline.stages)
        if (stage.stageId != from && pipeline.allows(from, stage.stageId)) allowed.push_back(stage.stageId);
    throw Problem::badRequest("move_not_allowed", "The pipeline does not allow this move.")
        .withDetails("{\"allowedStageIds\":" + toJson(allowed) + "}");
}

/// Returns the target stage. @throws Problem 400
const Stage& checkTarget(const Pipeline& pipeline, const std::optional<StageId>& current, const Placement& placement)
{
    const auto* stage = pipeline.stage(*placement.stageId);
    if (!stage) throw Problem::invalid("stageId", "unknown_stage", "Not a stage of this pipeline");
    if (current == stage->stageId || placement.takesBack) return *stage;
    if (current) checkTransition(pipeline, *current, stage->stageId);
    if (stage->kind == StageKind::Lost && pipeline.requireLostReason && placement.lostReason.empty())
        throw Problem::invalid("lostReason", "required", "This pipeline wants to know why");
    return *stage;
}

HistoryEntry entryOf(const Pipeline& pipeline, const Placement& placement)
{
    HistoryEntry entry;
    entry.contactId = placement.contactId;
    entry.pipelineId = pipeline.pipelineId;
    entry.movedBy = placement.movedBy;
    entry.movedAt = placement.movedAt.value_or(Instant{});
    entry.note = placement.note;
    entry.source = placement.source;
    return entry;
}

HistoryEntry entryOf(const CardRow& card, std::string_view movedBy)
{
    HistoryEntry entry;
    entry.contactId = card.contactId;
    entry.pipelineId = card.pipelineId;
    entry.movedBy = movedBy;
    entry.source = MoveSource::Automation;
    return entry;
}

} // namespace

MoveResult CardMover::place(Transaction& transaction, Tenant tenant, const Pipeline& pipeline, const Placement& placement) const
{
    const auto version = lockContact(transaction, tenant, placement.contactId);
    if (!version) throw Problem::notFound();
    placement.ifMatch.require(*version);
    const auto before = cardTable.find(transaction, tenant, pipeline.pipelineId, placement.contactId);
    const auto current = before ? std::optional(before->stageId) : std::nullopt;
    checkExpectation(current, placement);
    if (!placement.stageId) return takeOff(transaction, tenant, before, pipeline, placement);
    const auto& stage = checkTarget(pipeline, current, placement);

    const CardRow fresh{pipeline.pipelineId, placement.contactId, {}, {}, {}, {}, {}, false};
    CardRow card = before.value_or(placement.former.value_or(fresh));
    if (current != stage.stageId) card.position.clear();
    card.stageId = stage.stageId;
    card.position = positionFor(transaction, tenant, card, placement);
    if (placement.value) card.value = *placement.value;

    MoveResult result{placement.contactId, pipeline.pipelineId, current, stage.stageId, card.position, _context.clock().now(), {}};
    if (current != stage.stageId)
    {
        auto entry = entryOf(pipeline, placement);
        entry.fromStageId = current;
        entry.toStageId = stage.stageId;
        if (stage.kind == StageKind::Lost) entry.lostReason = placement.lostReason;
        entry = record(transaction, tenant, std::move(entry), before, placement.silent);
        result.movedAt = entry.movedAt;
        card.since = placement.former ? placement.former->since : entry.movedAt;
        result.historyId = entry.historyId;
        card.staleAt = staleFrom(stage, card.since);
    }
    if (!before)
        cardTable.insert(transaction, tenant, card);
    else if (card != *before)
        cardTable.update(transaction, tenant, card);
    if (before && card != *before && !result.historyId && !placement.silent)
        _context.events().publish(transaction, "crm.pipeline.card_changed", tenant.text(),
                                  toJson(CardEvent{card.contactId, card.pipelineId, card.stageId, std::string(tenant.text())}));
    writePlaces(transaction, tenant, card.contactId);
    return result;
}

MoveResult CardMover::takeOff(Transaction& transaction, Tenant tenant, const std::optional<CardRow>& card, const Pipeline& pipeline,
                              const Placement& placement) const
{
    if (placement.beforeContactId) throw notOnStage("beforeContactId");
    if (placement.afterContactId) throw notOnStage("afterContactId");
    MoveResult result{placement.contactId, pipeline.pipelineId, {}, {}, {}, _context.clock().now(), {}};
    if (!card) return result;
    auto entry = entryOf(pipeline, placement);
    entry.fromStageId = result.fromStageId = card->stageId;
    entry = record(transaction, tenant, std::move(entry), card, placement.silent);
    cardTable.erase(transaction, tenant, pipeline.pipelineId, placement.contactId);
    writePlaces(transaction, tenant, placement.contactId);
    result.movedAt = entry.movedAt;
    result.historyId = entry.historyId;
    return result;
}

CardMover::Gap CardMover::gapFor(Transaction& transaction, Tenant tenant, const CardRow& card, const Placement& placement) const
{
    if (const auto& former = placement.former) return {former->position, positionAfter(transaction, tenant, card, former->position)};
    const auto positionOf = [&](const std::optional<ContactId>& contact, std::string_view field)
    {
        if (!contact) return std::string();
        auto position =
            *contact == card.contactId ? std::string() : cardPosition(transaction, tenant, card.pipelineId, card.stageId, *contact);
        if (position.empty()) throw notOnStage(field);
        return position;
    };
    const auto low = positionOf(placement.afterContactId, "afterContactId");
    const auto high = positionOf(placement.beforeContactId, "beforeContactId");
    if (!low.empty() && !high.empty() && low > high)
        throw Problem::invalid("beforeContactId", "wrong_order", "This contact comes before the one in afterContactId");
    if (low.empty()) return {positionBefore(transaction, tenant, card, high), high};
    return {low, positionAfter(transaction, tenant, card, low)};
}

std::string CardMover::positionFor(Transaction& transaction, Tenant tenant, const CardRow& card, const Placement& placement) const
{
    if (placement.former && !isTaken(transaction, tenant, *placement.former)) return placement.former->position;
    auto [low, high] = gapFor(transaction, tenant, card, placement);
    // The card is already there.
    if (!card.position.empty() && low < card.position && (high.empty() || card.position < high)) return card.position;
    auto key = keyBetween(low, high);
    if (key.size() <= longestKey) return key;
    respaceCards(transaction, tenant, card.pipelineId, card.stageId);
    std::tie(low, high) = gapFor(transaction, tenant, card, placement);
    return keyBetween(low, high);
}

void CardMover::moveStage(Transaction& transaction, Tenant tenant, std::string_view movedBy, const Pipeline& from, const StageId& fromStage,
                          const Pipeline& to, const StageId& toStage) const
{
    lockContacts(transaction, tenant, from.pipelineId, fromStage);
    CardRow target{to.pipelineId, {}, toStage, {}, {}, {}, {}, false};
    target.position = positionBefore(transaction, tenant, target, {});
    for (const auto& card : cardsOfStage(transaction, tenant, from.pipelineId, fromStage))
    {
        target.contactId = card.contactId;
        target.position = keyBetween(target.position, {});
        takeAlong(transaction, tenant, movedBy, card, from, target, to);
        writePlaces(transaction, tenant, card.contactId);
    }
}

void CardMover::takeAlong(Transaction& transaction, Tenant tenant, std::string_view movedBy, const CardRow& card, const Pipeline& from,
                          const CardRow& target, const Pipeline& to) const
{
    auto entry = entryOf(card, movedBy);
    entry.fromStageId = card.stageId;
    auto moved = target;
    moved.value = card.value;
    moved.hidden = card.hidden;
    if (from.pipelineId == to.pipelineId)
    {
        entry.toStageId = target.stageId;
        moved.since = record(transaction, tenant, std::move(entry), card).movedAt;
        moved.staleAt = staleFrom(*to.stage(target.stageId), moved.since);
        cardTable.update(transaction, tenant, moved);
        return;
    }
    const bool there = cardTable.find(transaction, tenant, to.pipelineId, card.contactId).has_value();
    if (card.value && (there || from.currency != to.currency))
    {
        entry.note = "The value was " + std::to_string(*card.value) + " (minor units of " + from.currency + ")";
        moved.value.reset();
    }
    record(transaction, tenant, std::move(entry), card);
    cardTable.erase(transaction, tenant, card.pipelineId, card.contactId);
    if (there) return;
    auto arrival = entryOf(moved, movedBy);
    arrival.toStageId = moved.stageId;
    moved.since = record(transaction, tenant, std::move(arrival), std::nullopt).movedAt;
    moved.staleAt = staleFrom(*to.stage(moved.stageId), moved.since);
    cardTable.insert(transaction, tenant, moved);
}

void CardMover::clearStage(Transaction& transaction, Tenant tenant, std::string_view movedBy, const Pipeline& from,
                           const StageId& fromStage) const
{
    lockContacts(transaction, tenant, from.pipelineId, fromStage);
    for (const auto& card : cardsOfStage(transaction, tenant, from.pipelineId, fromStage))
    {
        auto entry = entryOf(card, movedBy);
        entry.fromStageId = card.stageId;
        record(transaction, tenant, std::move(entry), card);
        cardTable.erase(transaction, tenant, card.pipelineId, card.contactId);
        writePlaces(transaction, tenant, card.contactId);
    }
}

HistoryEntry CardMover::record(Transaction& transaction, Tenant tenant, HistoryEntry entry, const std::optional<CardRow>& left,
                               bool silent) const
{
    // Keeps moves in their order, even within one millisecond or after the clock was set back.
    const auto latest = latestMove(transaction, tenant, entry.contactId);
    const auto now = _context.clock().now();
    if (entry.movedAt == Instant{}) entry.movedAt = std::max(now, latest.movedAt);
    if (entry.movedAt < latest.movedAt || entry.movedAt > std::max(now, latest.movedAt))
        throw Problem::invalid("movedAt", "out_of_range", "This is in the future, or before the contact's last move");
    for (auto stamp = entry.movedAt; entry.historyId.text() <= latest.historyId.text(); stamp += std::chrono::milliseconds(1))
        entry.historyId = HistoryId::make(stamp);
    if (left)
    {
        entry.durationInPreviousStageSeconds =
            std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(entry.movedAt - left->since).count());
        entry.former = FormerCard{left->position, left->since, left->value};
    }
    historyTable.insert(transaction, tenant, entry);
    if (!silent)
        _context.events().publish(transaction, "crm.pipeline.moved", tenant.text(), toJson(MoveEvent{entry, std::string(tenant.text())}));
    return entry;
}

} // namespace portico::crm
