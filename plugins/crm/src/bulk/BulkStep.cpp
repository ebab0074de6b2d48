#include "bulk/BulkStep.h"

#include "contacts/ContactLists.h"
#include "contacts/ContactRules.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// How many contacts one transaction changes: few enough that other writers wait little.
constexpr std::int64_t contactsTogether = 200;
constexpr std::size_t reportedContacts = 100, maxTags = 50;

void changeTags(std::vector<std::string>& tags, const BulkChange& change)
{
    std::erase_if(tags, [&](const std::string& tag)
                  { return std::find(change.removeTags.begin(), change.removeTags.end(), tag) != change.removeTags.end(); });
    for (const auto& tag : change.addTags)
        if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
    if (tags.size() > maxTags) throw Problem::invalid("tags", "too_many_values", "A contact has at most 50 tags");
}

void setFlags(DoNotContact& flags, const BulkDoNotContact& change)
{
    flags.email = change.email.value_or(flags.email);
    flags.phone = change.phone.value_or(flags.phone);
    flags.sms = change.sms.value_or(flags.sms);
}

/// Returns the contact after the change. @throws Problem 400
Contact changedContact(const Contact& before, const BulkPlan& plan)
{
    Contact after = before;
    changeTags(after.tags, plan.change);
    if (plan.disown) after.ownerUserId.reset();
    if (plan.change.ownerUserId) after.ownerUserId = plan.change.ownerUserId;
    if (plan.change.lifecycle) after.lifecycle = *plan.change.lifecycle;
    if (plan.change.doNotContact) setFlags(after.doNotContact, *plan.change.doNotContact);
    return after;
}

BulkError errorOf(const ContactId& id, const Problem& problem)
{
    if (problem.errors().empty()) return {id, problem.code(), problem.detail()};
    return {id, problem.errors().front().code, problem.errors().front().message};
}

/// One transaction of a bulk change.
class BulkWork
{
public:
    BulkWork(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state)
        : _tools(tools), _transaction(transaction), _tenant(tenant), _state(state), _now(tools.context.clock().now())
    {
        if (!state.plan.moves()) return;
        try
        {
            _pipeline = tools.pipelines.hold(transaction, tenant, state.plan.change.pipelineId);
        }
        catch (const Problem&) // the pipeline is gone
        {
        }
    }

    /// True if the contact is another one now. @throws Problem when it cannot be changed, and nothing was written
    bool change(const Contact* before)
    {
        if (!before || before->deletedAt) throw Problem::notFound("There is no such contact.");
        BulkPrevious previous{0, before->tags, before->ownerUserId, before->lifecycle, before->doNotContact, false, {}, {}};
        Contact after = changedContact(*before, _state.plan);
        // It may throw, and nothing was written until then.
        if (_state.plan.moves()) move(before->id, previous);
        const bool changes = _state.plan.change.remove || !changedMembers(*before, after).empty();
        if (changes) previous.versionAfter = write(*before, after);
        if (!changes && !previous.moved) return false;
        keepPrevious(_transaction, _tenant, _state.bulkId, before->id, previous);
        return true;
    }

    /// Restores the contact if it was not changed since. Returns true if it was restored.
    bool restore(const Contact* current, const BulkPrevious& previous)
    {
        if (!current || current->deletedAt.has_value() != _state.plan.change.remove) return false;
        if (previous.versionAfter != 0 && current->version != previous.versionAfter) return false;
        if (previous.moved && !standsWhereItWasPut(current->id, previous)) return false;
        // Checks everything before the first write, because a kept contact must stay unchanged.
        if (current->deletedAt && takenExternalId(_transaction, _tenant, *current)) return false;
        try
        {
            if (previous.moved) place(current->id, previous.stageId, &previous);
            if (previous.versionAfter != 0)
            {
                putBack(*current, previous);
                const auto versionBefore = previous.versionBefore != 0 ? previous.versionBefore : previous.versionAfter - 1;
                _tools.keepers.restored(_transaction, _tenant, current->id, versionBefore, current->version + 1);
            }
            return true;
        }
        catch (const Problem&) // its stage is gone
        {
            return false;
        }
    }

private:
    std::int64_t write(const Contact& before, Contact& after)
    {
        after.version = before.version + 1;
        after.updatedAt = _now;
        if (_state.plan.change.remove)
        {
            after.deletedAt = _now;
            _tools.contacts.markDeleted(_transaction, _tenant, after);
        }
        else
            _tools.contacts.update(_transaction, _tenant, before, after);
        return after.version;
    }

    void putBack(const Contact& current, const BulkPrevious& previous)
    {
        Contact after = current;
        after.version = current.version + 1;
        after.updatedAt = _now;
        if (_state.plan.change.remove)
        {
            after.deletedAt.reset();
            _tools.contacts.unmarkDeleted(_transaction, _tenant, after);
            return;
        }
        after.tags = previous.tags;
        after.ownerUserId = previous.ownerUserId;
        after.lifecycle = previous.lifecycle;
        after.doNotContact = previous.doNotContact;
        _tools.contacts.update(_transaction, _tenant, current, after);
    }

    void move(const ContactId& id, BulkPrevious& previous)
    {
        if (!_pipeline) throw Problem::badRequest("unknown_stage", "The pipeline has been deleted.");
        previous.card = cardTable.find(_transaction, _tenant, _pipeline->pipelineId, id);
        // A card that is on the stage already keeps its place there.
        if (previous.card && previous.card->stageId == _state.plan.change.stageId) return;
        const auto moved = place(id, _state.plan.change.stageId, nullptr);
        previous.moved = moved.historyId.has_value();
        previous.stageId = moved.fromStageId;
        previous.movedAt = moved.movedAt;
    }

    /// `reverted`: the state before the move that this one takes back, or null.
    MoveResult place(const ContactId& id, const std::optional<StageId>& stageId, const BulkPrevious* reverted) const
    {
        Placement placement;
        placement.contactId = id;
        placement.stageId = stageId;
        placement.lostReason = _state.plan.change.lostReason;
        placement.movedBy = _state.createdBy;
        placement.source = MoveSource::Automation;
        placement.silent = true;
        placement.takesBack = reverted != nullptr;
        if (reverted) placement.former = reverted->card;
        return _tools.pipelines.placeOnStage(_transaction, _tenant, *_pipeline, placement);
    }

    bool standsWhereItWasPut(const ContactId& id, const BulkPrevious& previous) const
    {
        if (!_pipeline) return false;
        const auto card = cardTable.find(_transaction, _tenant, _pipeline->pipelineId, id);
        if (!_state.plan.change.stageId) return !card;
        if (!card || card->stageId != *_state.plan.change.stageId || card->since != previous.movedAt) return false;
        // The undo erases a card that the change has created, and would lose the value that it got since.
        return previous.stageId || !card->value;
    }

    const BulkTools& _tools;
    Transaction& _transaction;
    const Tenant _tenant;
    BulkState& _state;
    const Instant _now;
    std::optional<Pipeline> _pipeline;
};

const Contact* findIn(const std::vector<Contact>& contacts, const ContactId& id)
{
    const auto found = std::find_if(contacts.begin(), contacts.end(), [&](const Contact& contact) { return contact.id == id; });
    return found == contacts.end() ? nullptr : &*found;
}

std::vector<ContactId> idsOf(const std::vector<BulkContact>& rows)
{
    std::vector<ContactId> ids;
    for (const auto& row : rows) ids.push_back(row.contactId);
    return ids;
}

} // namespace

void changeSome(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state)
{
    const auto next = bulkContactTable.select(tenant)
                          .where(&BulkContact::bulkId, state.bulkId)
                          .where("contact_id > ?", state.position)
                          .orderBy(&BulkContact::contactId)
                          .all(transaction, contactsTogether);
    if (next.empty())
    {
        finish(state, state.failed > 0 ? BulkStatus::CompletedWithErrors : BulkStatus::Completed, tools.context.clock().now());
        announce(tools.context.events(), transaction, tenant, "completed", state);
        return;
    }
    BulkWork work(tools, transaction, tenant, state);
    const auto contacts = tools.contacts.loadMany(transaction, tenant, idsOf(next));
    for (const auto& row : next)
    {
        try
        {
            ++(work.change(findIn(contacts, row.contactId)) ? state.changed : state.unchanged);
        }
        catch (const Problem& problem)
        {
            ++state.failed;
            if (state.errors.size() < reportedContacts) state.errors.push_back(errorOf(row.contactId, problem));
        }
        state.position = row.contactId.text();
    }
}

BulkUndoStep undoSome(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state, const std::string& position)
{
    const auto next = bulkContactTable.select(tenant)
                          .where(&BulkContact::bulkId, state.bulkId)
                          .where("contact_id > ? AND previous IS NOT NULL", position)
                          .orderBy(&BulkContact::contactId)
                          .all(transaction, contactsTogether);
    BulkUndoStep step;
    if (next.empty()) return step;
    BulkWork work(tools, transaction, tenant, state);
    const auto contacts = tools.contacts.loadMany(transaction, tenant, idsOf(next));
    for (const auto& row : next)
    {
        step.position = row.contactId.text();
        if (work.restore(findIn(contacts, row.contactId), *row.previous))
        {
            ++state.undone;
            bulkContactTable.erase(transaction, tenant, state.bulkId, row.contactId);
        }
        else
            step.kept.push_back(row.contactId);
    }
    return step;
}

} // namespace portico::crm
