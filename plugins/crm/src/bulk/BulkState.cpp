#include "bulk/BulkState.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// Returns the change as the client sent it, including null members, which are not stored.
Json shownChange(const BulkPlan& plan)
{
    auto text = toJson(plan.change);
    const auto add = [&](std::string_view member)
    {
        text.pop_back();
        text.append(text.size() > 1 ? "," : "").append(member).append("}");
    };
    if (plan.disown) add(R"("ownerUserId":null)");
    if (plan.takeOff) add(R"("stageId":null)");
    return {std::move(text)};
}

} // namespace

BulkReport reportOf(const BulkState& state)
{
    BulkReport report;
    static_cast<BulkFacts&>(report) = state;
    report.change = ShownBulkChange{shownChange(state.plan)};
    const auto done = state.changed + state.unchanged + state.failed;
    report.totals = {done, state.changed, state.unchanged, state.failed};
    report.errors = state.errors;
    report.progress =
        state.status != BulkStatus::Running ? 100 : std::clamp<std::int64_t>(done * 100 / std::max<std::int64_t>(state.selected, 1), 0, 99);
    if (!state.undoneAt) report.undoUntil = state.undoUntil;
    report.createdAt = state.startedAt;
    return report;
}

void keepPrevious(Transaction& transaction, Tenant tenant, const BulkId& id, const ContactId& contact, const BulkPrevious& previous)
{
    transaction.execute("UPDATE bulk_contact SET previous = $4 WHERE organization_id = $1 AND bulk_id = $2 AND contact_id = $3", tenant, id,
                        contact, toJson(previous));
}

void carryBulkChangesOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion)
{
    const auto changes = bulkContactTable.select(tenant)
                             .where(&BulkContact::contactId, id)
                             .where("previous IS NOT NULL AND bulk_id IN (SELECT bulk_id FROM bulk WHERE organization_id = "
                                    "bulk_contact.organization_id AND undone_at IS NULL AND (forget_at IS NOT NULL OR status = 'running'))")
                             .all(transaction);
    for (const auto& change : changes)
    {
        auto previous = *change.previous;
        if (previous.versionAfter != fromVersion) continue;
        if (previous.versionBefore == 0) previous.versionBefore = previous.versionAfter - 1;
        previous.versionAfter = toVersion;
        keepPrevious(transaction, tenant, change.bulkId, id, previous);
    }
}

std::vector<ContactId> forgetBulkChanges(Transaction& transaction, Tenant tenant, const ContactId& id)
{
    transaction.execute("UPDATE bulk_contact SET previous = NULL WHERE organization_id = $1 AND contact_id = $2 AND previous IS NOT NULL",
                        tenant, id);
    return {};
}

void finish(BulkState& state, BulkStatus status, Instant now)
{
    state.status = status;
    state.finishedAt = now;
    state.forgetAt = now + bulkKept;
    if (!state.dryRun && state.changed > 0) state.undoUntil = state.forgetAt;
}

void announce(Events& events, Session& session, Tenant tenant, std::string_view what, const BulkState& state)
{
    if (state.dryRun) return;
    auto report = reportOf(state);
    report.change.reset();
    report.errors.reset();
    events.publish(session, "crm.bulk." + std::string(what), tenant.text(), toJson(report));
}

} // namespace portico::crm
