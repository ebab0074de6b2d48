#pragma once

#include "actions/ActionQueue.h"
#include "catalog/Registry.h"

#include "portico/Routes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct ActionFilter
{
    std::vector<ActionStatus> status;
    std::vector<ActionKind> kind;
    std::vector<Severity> severity;
    std::string assignee;
};

inline bool isMe(std::string_view text) { return text == "me"; }

constexpr auto schemaOf(const ActionFilter*)
{
    return describe(field<&ActionFilter::status>().description("Default: open"), members<&ActionFilter::kind, &ActionFilter::severity>(),
                    field<&ActionFilter::assignee>().matches(isMe, "invalid_assignee", "me"));
}

struct ActionCounts
{
    std::int64_t open = 0;
    /// Open actions whose time has passed.
    std::int64_t overdue = 0;
    std::int64_t critical = 0;
};

constexpr auto schemaOf(const ActionCounts*)
{
    return describe(members<&ActionCounts::open, &ActionCounts::overdue, &ActionCounts::critical>());
}

struct ActionListExtra
{
    ActionCounts counts;
};

constexpr auto schemaOf(const ActionListExtra*) { return describe(members<&ActionListExtra::counts>()); }

/// An action with its history.
struct ActionDetail : Action
{
    std::vector<ActionEvent> history;
};

constexpr auto schemaOf(const ActionDetail*) { return describe(inherited<Action>(), field<&ActionDetail::history>().transient()); }

struct DecisionCallback
{
    std::string url;
    std::string secret;
};

constexpr auto schemaOf(const DecisionCallback*)
{
    return describe(field<&DecisionCallback::url>().required().uri().maxLength(2048),
                    field<&DecisionCallback::secret>().required().minLength(16).maxLength(256).writeOnly());
}

/// An action as a service or a key creates it.
struct NewAction : ActionContent
{
    std::optional<ActionContext> context;
    Assignee assignee;
    std::optional<DecisionCallback> decisionCallback;
};

/// Returns whether the text is a path of an origin: `/deals/7`.
bool isOwnPath(std::string_view text);

constexpr auto schemaOf(const NewAction*)
{
    return describe(field<&NewAction::kind>(), field<&NewAction::severity>(),
                    field<&NewAction::title>().required().trimmed().maxLength(200), field<&NewAction::body>().maxLength(2000),
                    field<&NewAction::source>().required(),
                    field<&NewAction::context>().description("Default: the organization of the caller"),
                    field<&NewAction::assignee>().required(), field<&NewAction::decisions>().maxItems(6),
                    field<&NewAction::href>().maxLength(1000).matches(isOwnPath, "invalid_href", "a path that begins with one /"),
                    field<&NewAction::dueAt>(), field<&NewAction::expiresAt>().description("Time at which the system expires the action"),
                    field<&NewAction::dedupeKey>().required().maxLength(200).description(
                        "Key that prevents duplicates: at most one pending action has it"),
                    field<&NewAction::decisionCallback>().description(
                        "URL that receives decisions, on an origin of the source service. Messages are signed as "
                        "Standard Webhooks, with the action's ID as `webhook-id`"));
}

struct DecisionInput
{
    std::string decision;
    std::string reason;
};

constexpr auto schemaOf(const DecisionInput*)
{
    return describe(field<&DecisionInput::decision>().required(), field<&DecisionInput::reason>().trimmed().maxLength(1000));
}

struct DismissInput
{
    std::string reason;
};

constexpr auto schemaOf(const DismissInput*) { return describe(field<&DismissInput::reason>().trimmed().maxLength(1000)); }

struct SnoozeInput
{
    Instant until{};
};

constexpr auto schemaOf(const SnoozeInput*) { return describe(field<&SnoozeInput::until>().required()); }

struct AssignInput
{
    Assignee assignee;
};

constexpr auto schemaOf(const AssignInput*) { return describe(field<&AssignInput::assignee>().required()); }

/// /api/actions. Thread-safe.
class ActionRoutes
{
public:
    ActionRoutes(PluginContext& context, const Registry& registry, const ActionQueue& queue)
        : _context(context), _registry(registry), _queue(queue)
    {
    }
    void declare(Routes& routes);

    Page<Action, ActionListExtra> list(const Caller& caller, const Query<ActionFilter>& filter, const Paging& paging) const;
    ActionDetail show(const Caller& caller, const Path<ActionId>& id) const;
    Created<Action> create(const Caller& caller, const Body<NewAction>& body) const;
    Action resolve(const Caller& caller, const Path<ActionId>& id, const Body<DecisionInput>& input, const IfMatch& ifMatch) const;
    Action dismiss(const Caller& caller, const Path<ActionId>& id, const Body<DismissInput>& input, const IfMatch& ifMatch) const;
    Action snooze(const Caller& caller, const Path<ActionId>& id, const Body<SnoozeInput>& input, const IfMatch& ifMatch) const;
    Action assign(const Caller& caller, const Path<ActionId>& id, const Body<AssignInput>& input, const IfMatch& ifMatch) const;

private:
    void requireAssignee(Tenant tenant, const Assignee& assignee) const;
    void requireSource(const Caller& caller, const NewAction& action) const;

    PluginContext& _context;
    const Registry& _registry;
    const ActionQueue& _queue;
};

} // namespace portico::launchpad
