#include "actions/ActionQueue.h"

#include "common/News.h"
#include "common/Roles.h"

#include "portico/system/OperatorRecords.h"

#include <algorithm>
#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto expiryInterval = std::chrono::minutes(1);

struct ActionNews
{
    std::string actionId;
};

constexpr auto schemaOf(const ActionNews*) { return describe(members<&ActionNews::actionId>()); }

struct ResolvedDetails
{
    std::optional<Resolution> resolution;
};

constexpr auto schemaOf(const ResolvedDetails*) { return describe(members<&ResolvedDetails::resolution>()); }

Problem alreadyResolved(const Action& action)
{
    return Problem::conflict("already_resolved", "The action is no longer open.").withDetails(ResolvedDetails{action.resolution});
}

/// Serializes the writers that open and close actions of a tenant. @return how many wait
std::int64_t lockCount(Transaction& transaction, Tenant tenant)
{
    transaction.execute("INSERT INTO action_count (organization_id, open) VALUES ($1, 0) ON CONFLICT (organization_id) DO NOTHING", tenant);
    transaction.execute("UPDATE action_count SET open = open WHERE organization_id = $1", tenant);
    return *transaction.value<std::int64_t>("SELECT open FROM action_count WHERE organization_id = $1", tenant);
}

void countOpen(Transaction& transaction, Tenant tenant, std::int64_t difference)
{
    if (difference != 0) transaction.execute("UPDATE action_count SET open = open + $2 WHERE organization_id = $1", tenant, difference);
}

std::optional<Action> waiting(Session& session, Tenant tenant, std::string_view dedupeKey)
{
    return actionTable.select(tenant).where("dedupe_key = ? AND status IN ('open', 'snoozed')", dedupeKey).first(session);
}

void requireStepUp(PluginContext& context, const Caller& caller)
{
    const auto records = context.services().find<interfaces::OperatorRecords>();
    if (!records) throw Problem::unavailable("validation_unavailable", "The sign-in cannot be confirmed at the moment. Try again later.");
    records->requireElevation(caller);
}
} // namespace

void ActionQueue::start()
{
    _context.jobs().handle("expire-actions", [this](const Job&) { expireDue(); });
    _context.jobs().every("expire-actions", expiryInterval);
}

const ActionEffect* ActionQueue::effectOf(ActionKind kind) const
{
    const auto found = _effects.find(kind);
    return found == _effects.end() ? nullptr : &found->second;
}

bool ActionQueue::isAssignedTo(const Action& action, const Caller& caller)
{
    if (action.assigneeType == AssigneeType::User) return action.assigneeId == caller.principalId;
    return !caller.organizationId.empty() && rankOf(caller.role) >= rankOf(action.assigneeId);
}

Action ActionQueue::shown(Action action, Tenant tenant, Instant now)
{
    action.context.kind = tenant.isUser() ? "personal" : "organization";
    if (!tenant.isUser()) action.context.organizationId = tenant.text();
    action.assignee = {action.assigneeType, action.assigneeId};
    if (action.status == ActionStatus::Snoozed && action.snoozedUntil && *action.snoozedUntil <= now)
    {
        action.status = ActionStatus::Open;
        action.snoozedUntil.reset();
    }
    return action;
}

void ActionQueue::write(Transaction& transaction, Tenant tenant, const Action& action, std::string_view what, std::string_view by,
                        std::string_view detail) const
{
    const auto id = action.id.text();
    const auto position = transaction.value<std::int64_t>(
        "SELECT coalesce(max(position), 0) + 1 FROM action_event WHERE organization_id = $1 AND action_id = $2", tenant, id);
    actionEventTable.insert(transaction, tenant,
                            {id, *position, _context.clock().now(), std::string(what), std::string(by), std::string(detail)});
    const bool waits = action.waits();
    publishNews(_context, transaction, tenant,
                what == "opened"               ? "launchpad.action.opened"
                : what == "resolved" && !waits ? "launchpad.action.resolved"
                                               : "launchpad.action.changed",
                toJson(ActionNews{id}));
}

std::pair<Action, bool> ActionQueue::open(Transaction& transaction, Tenant tenant, Action action, std::string_view by) const
{
    const auto count = lockCount(transaction, tenant);
    if (auto existing = waiting(transaction, tenant, action.dedupeKey)) return {*std::move(existing), false};
    // The launchpad reports in transactions that must not fail, such as the one that stores a failed payment.
    if (count >= maxOpenActions && by != "system")
        throw Problem::conflict("too_many_actions", "At most " + std::to_string(maxOpenActions) + " actions can wait for decisions.");
    action.status = ActionStatus::Open;
    action = actionTable.stamped(std::move(action), {_context.clock().now(), {}});
    if (action.href.empty()) action.href = "/actions/" + action.id.text();
    actionTable.insert(transaction, tenant, action);
    countOpen(transaction, tenant, 1);
    write(transaction, tenant, action, "opened", by, {});
    return {std::move(action), true};
}

bool ActionQueue::waits(Session& session, Tenant tenant, std::string_view dedupeKey)
{
    return waiting(session, tenant, dedupeKey).has_value();
}

bool ActionQueue::close(Transaction& transaction, Tenant tenant, std::string_view dedupeKey, std::string_view why) const
{
    lockCount(transaction, tenant);
    const auto found = waiting(transaction, tenant, dedupeKey);
    if (!found) return false;
    const auto now = _context.clock().now();
    const Action closed = actionTable.change(transaction, tenant, found->id, IfMatch(std::string_view()), {now, {}},
                                             [&](Action& action)
                                             {
                                                 action.status = ActionStatus::Resolved;
                                                 action.resolution =
                                                     Resolution{"closed", "system", now, std::string(why), DecisionOutcome::Applied, {}};
                                             });
    countOpen(transaction, tenant, -1);
    write(transaction, tenant, closed, "closed", "system", why);
    return true;
}

template <class F>
Action ActionQueue::change(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, F edit) const
{
    const auto tenant = caller.tenantOrSelf();
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto before = actionTable.require(transaction, tenant, id);
            if (!isAssignedTo(before, caller) && !tenant.isUser() && !caller.may("launchpad.actions:resolve"))
                throw Problem::forbidden("permission_denied", "The permission launchpad.actions:resolve is needed.");
            lockCount(transaction, tenant);
            const Action after = actionTable.change(transaction, tenant, id, ifMatch, {now, {}},
                                                    [&](Action& action)
                                                    {
                                                        if (!action.waits()) throw alreadyResolved(action);
                                                        edit(transaction, tenant, action, now);
                                                    });
            countOpen(transaction, tenant, (after.waits() ? 1 : 0) - 1);
            return shown(after, tenant, now);
        });
}

Action ActionQueue::resolve(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, std::string_view decision,
                            const std::string& reason) const
{
    return change(
        caller, id, ifMatch,
        [&](Transaction& transaction, Tenant tenant, Action& action, Instant now)
        {
            const auto chosen = std::ranges::find(action.decisions, decision, &ActionDecision::id);
            if (chosen == action.decisions.end())
                throw Problem::invalid("decision", "unknown_decision", "The action does not offer this decision");
            const auto* effect = effectOf(action.kind);
            if (effect && effect->require) effect->require(caller, action, decision);
            if (chosen->requiresReason && reason.empty())
                throw Problem::badRequest("reason_required", "This decision needs a reason.").with({"reason", "required", "Say why"});
            if (chosen->requiresStepUp) requireStepUp(_context, caller);
            action.status = ActionStatus::Resolved;
            action.snoozedUntil.reset();
            action.resolution = Resolution{std::string(decision), caller.principalId, now, reason, DecisionOutcome::Applied, {}};
            if (effect && effect->apply) effect->apply(transaction, tenant, action, *action.resolution);
            if (!action.callbackUrl.empty())
            {
                action.resolution->outcome = DecisionOutcome::Pending;
                send(transaction, tenant, action);
            }
            write(transaction, tenant, action, "resolved", caller.principalId, decision);
        });
}

Action ActionQueue::dismiss(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, const std::string& reason) const
{
    return change(caller, id, ifMatch,
                  [&](Transaction& transaction, Tenant tenant, Action& action, Instant now)
                  {
                      const auto* effect = effectOf(action.kind);
                      if (effect && !effect->dismissible)
                          throw Problem::conflict("not_dismissible", "This action ends when it is decided or when its cause ends.");
                      action.status = ActionStatus::Dismissed;
                      action.resolution = Resolution{"dismissed", caller.principalId, now, reason, DecisionOutcome::Applied, {}};
                      write(transaction, tenant, action, "dismissed", caller.principalId, reason);
                  });
}

Action ActionQueue::snooze(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, Instant until) const
{
    return change(caller, id, ifMatch,
                  [&](Transaction& transaction, Tenant tenant, Action& action, Instant now)
                  {
                      if (until <= now || until > now + std::chrono::days(366))
                          throw Problem::invalid("until", "out_of_range", "Expected a time within the next year");
                      action.status = ActionStatus::Snoozed;
                      action.snoozedUntil = until;
                      write(transaction, tenant, action, "snoozed", caller.principalId, toString(until));
                  });
}

Action ActionQueue::assign(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, const Assignee& assignee) const
{
    return change(caller, id, ifMatch,
                  [&](Transaction& transaction, Tenant tenant, Action& action, Instant)
                  {
                      action.assigneeType = assignee.type;
                      action.assigneeId = assignee.id;
                      write(transaction, tenant, action, "assigned", caller.principalId, assignee.id);
                  });
}

void ActionQueue::settle(Transaction& transaction, Tenant tenant, const ActionId& id, bool applied, std::string_view error) const
{
    lockCount(transaction, tenant);
    const auto before = actionTable.findForUpdate(transaction, tenant, id);
    if (!before || !before->resolution || before->resolution->outcome != DecisionOutcome::Pending) return;
    auto key = before->dedupeKey;
    // Another action of the same cause may have been opened: the failure then stays with the decision.
    const bool reopens = !applied && !waiting(transaction, tenant, key);
    const Action after = actionTable.change(transaction, tenant, id, IfMatch(std::string_view()), {_context.clock().now(), {}},
                                            [&](Action& action)
                                            {
                                                action.resolution->outcome = applied ? DecisionOutcome::Applied : DecisionOutcome::Failed;
                                                if (!applied) action.resolution->error = std::string(error);
                                                if (reopens) action.status = ActionStatus::Open;
                                            });
    countOpen(transaction, tenant, reopens ? 1 : 0);
    write(transaction, tenant, after, applied ? "applied" : "reopened", "system", error);
}

void ActionQueue::expireDue()
{
    const auto now = _context.clock().now();
    std::vector<std::pair<std::string, ActionId>> due;
    {
        auto session = _context.database().session();
        for (const Row row : session.query(
                 "SELECT organization_id, id FROM action WHERE expires_at <= $1 AND status IN ('open', 'snoozed') LIMIT 200", now))
            due.emplace_back(row.get<std::string>(0), row.get<ActionId>(1));
    }
    for (const auto& [owner, id] : due)
        _context.database().transact(
            [&, &owner = owner, &id = id](Transaction& transaction)
            {
                const auto tenant = Tenant::fromStored(owner);
                lockCount(transaction, tenant);
                const auto before = actionTable.findForUpdate(transaction, tenant, id);
                if (!before || !before->waits() || !before->expiresAt || *before->expiresAt > now) return;
                const Action after = actionTable.change(transaction, tenant, id, IfMatch(std::string_view()), {now, {}},
                                                        [](Action& action) { action.status = ActionStatus::Expired; });
                countOpen(transaction, tenant, -1);
                if (const auto* effect = effectOf(after.kind); effect && effect->expire) effect->expire(transaction, tenant, after);
                write(transaction, tenant, after, "expired", "system", {});
            });
}

} // namespace portico::launchpad
