#include "actions/DecisionCallbacks.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto sweepInterval = std::chrono::minutes(10);

/// Member `data` of a message.
struct DecisionMessage
{
    std::string actionId;
    std::string organizationId;
    ActionKind kind = ActionKind::Custom;
    ActionSource source;
    std::string dedupeKey;
    std::string decision;
    std::string reason;
    std::string decidedBy;
    Instant decidedAt{};
};

constexpr auto schemaOf(const DecisionMessage*)
{
    return describe(members<&DecisionMessage::actionId, &DecisionMessage::organizationId, &DecisionMessage::kind, &DecisionMessage::source,
                            &DecisionMessage::dedupeKey, &DecisionMessage::decision, &DecisionMessage::reason, &DecisionMessage::decidedBy,
                            &DecisionMessage::decidedAt>());
}

/// Organization of an action that is known by its ID only.
std::optional<std::string> ownerOf(Session& session, std::string_view actionId)
{
    return session.value<std::string>("SELECT organization_id FROM action WHERE id = $1", actionId);
}
} // namespace

DecisionCallbacks::DecisionCallbacks(PluginContext& context, ActionQueue& queue) : _context(context), _queue(queue)
{
    _queue.send = [this](Transaction& transaction, Tenant tenant, const Action& action) { send(transaction, tenant, action); };
}

void DecisionCallbacks::start()
{
    _context.deliveries().endpoints([this](std::string_view id) { return endpoint(id); });
    _context.deliveries().onAttempt([this](const DeliveryAttempt& attempt) { attempted(attempt); });
    _context.jobs().handle("settle-decisions", [this](const Job&) { sweep(); });
    _context.jobs().every("settle-decisions", sweepInterval);
}

void DecisionCallbacks::send(Transaction& transaction, Tenant tenant, const Action& action) const
{
    const auto id = action.id.text();
    const auto& resolution = *action.resolution;
    // A decision that failed before left its status there.
    _context.deliveries().forget(transaction, id);
    const DecisionMessage message{id,
                                  std::string(tenant.text()),
                                  action.kind,
                                  action.source,
                                  action.dedupeKey,
                                  resolution.decision,
                                  resolution.reason,
                                  resolution.by,
                                  resolution.at};
    _context.deliveries().send(transaction, {.endpointId = id, .type = "launchpad.action.resolved", .data = toJson(message), .id = id});
}

std::optional<DeliveryEndpoint> DecisionCallbacks::endpoint(std::string_view actionId) const
{
    const auto id = ActionId::parse(actionId);
    auto session = _context.database().session();
    const auto owner = ownerOf(session, actionId);
    const auto action = id && owner ? actionTable.find(session, Tenant::fromStored(*owner), *id) : std::nullopt;
    if (!action || action->callbackUrl.empty()) return std::nullopt;
    return DeliveryEndpoint{.url = action->callbackUrl, .secrets = {action->callbackSecret}};
}

void DecisionCallbacks::attempted(const DeliveryAttempt& attempt) const
{
    if (!attempt.delivered && !attempt.last) return;
    settle(attempt.endpointId, attempt.delivered,
           attempt.error.empty() ? "The service answered " + std::to_string(attempt.httpStatus) : attempt.error);
}

void DecisionCallbacks::settle(std::string_view actionId, bool applied, std::string_view error) const
{
    const auto id = ActionId::parse(actionId);
    if (!id) return;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (const auto owner = ownerOf(transaction, actionId))
                _queue.settle(transaction, Tenant::fromStored(*owner), *id, applied, applied ? std::string_view() : error);
            _context.deliveries().forget(transaction, actionId);
        });
}

void DecisionCallbacks::sweep() const
{
    std::vector<DeliveryStatus> ended;
    {
        auto session = _context.database().session();
        for (auto& status : _context.deliveries().list(session))
            if (status.waiting == 0 && (status.succeededAt || status.failedAt)) ended.push_back(std::move(status));
    }
    for (const auto& status : ended)
        settle(status.endpointId, status.succeededAt && status.state == DeliveryStatus::State::Working,
               status.lastError.empty() ? "The decision was not delivered" : status.lastError);
}

} // namespace portico::launchpad
