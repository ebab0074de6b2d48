#pragma once

#include "actions/Action.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace portico::launchpad
{

/// Open and snoozed actions of one organization, at most. The launchpad itself opens more.
inline constexpr std::int64_t maxOpenActions = 10'000;

/// Handlers of the decisions of one kind. Empty functions are skipped.
struct ActionEffect
{
    /// Checks the right to make a decision. @throws Problem 403
    std::function<void(const Caller&, const Action&, std::string_view decision)> require = {};
    /// Executes a decision in the transaction that stores it. If it throws, both are rolled back.
    std::function<void(Transaction&, Tenant, const Action&, const Resolution&)> apply = {};
    /// Called in the transaction in which an action expires.
    std::function<void(Transaction&, Tenant, const Action&)> expire = {};
    /// False for actions that must be decided, or whose cause must end.
    bool dismissible = true;
};

/// The queue of decisions. Opens, decides and closes actions; each change is an entry in the action's history and an event for open pages.
/// Thread-safe once `on` has been called for all kinds.
class ActionQueue
{
public:
    explicit ActionQueue(PluginContext& context) : _context(context) {}
    /// Registers the job that expires actions.
    void start();

    void on(ActionKind kind, ActionEffect effect) { _effects.insert_or_assign(kind, std::move(effect)); }

    /// Opens an action, unless one with its dedupe key waits already.
    /// @param by `usr_…`, `key_…` or `system`
    /// @return the action that waits, and whether it is new
    /// @throws Problem 409 `too_many_actions` if 10,000 actions are waiting, unless `by` is `system`
    std::pair<Action, bool> open(Transaction& transaction, Tenant tenant, Action action, std::string_view by) const;
    /// Returns whether an action with this dedupe key waits.
    static bool waits(Session& session, Tenant tenant, std::string_view dedupeKey);
    /// Closes the action of a cause that has ended. @return false if none waits
    bool close(Transaction& transaction, Tenant tenant, std::string_view dedupeKey, std::string_view why) const;

    /// Decides.
    /// @throws Problem 404; 403 `permission_denied`, `step_up_required`; 400 `unknown_decision`, `reason_required`; 409 `already_resolved`
    /// with the resolution; 412
    Action resolve(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, std::string_view decision,
                   const std::string& reason) const;
    /// @throws Problem 404; 403; 409 `already_resolved`, `not_dismissible`; 412
    Action dismiss(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, const std::string& reason) const;
    /// @throws Problem as `dismiss`; 400 for a time that has passed
    Action snooze(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, Instant until) const;
    Action assign(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, const Assignee& assignee) const;

    /// Ends the wait for the source service of a decision: the decision is applied, or the action waits again.
    void settle(Transaction& transaction, Tenant tenant, const ActionId& id, bool applied, std::string_view error) const;
    /// Fills in computed members. A snoozed action whose time has passed is open.
    static Action shown(Action action, Tenant tenant, Instant now);
    /// Returns whether an action is assigned to the caller, or to a role that the caller has.
    static bool isAssignedTo(const Action& action, const Caller& caller);

    /// Sends a decision to the URL that the creator of the action named.
    std::function<void(Transaction&, Tenant, const Action&)> send;

private:
    template <class F>
    Action change(const Caller& caller, const ActionId& id, const IfMatch& ifMatch, F edit) const;
    void expireDue();
    const ActionEffect* effectOf(ActionKind kind) const;
    void write(Transaction& transaction, Tenant tenant, const Action& action, std::string_view what, std::string_view by,
               std::string_view detail) const;

    PluginContext& _context;
    std::map<ActionKind, ActionEffect> _effects;
};

} // namespace portico::launchpad
