#pragma once

#include "actions/ActionQueue.h"

namespace portico::launchpad
{

/// Sends decisions to the services that asked for them, as signed messages with the action's ID as `webhook-id`, and reports the outcome
/// to the queue. A decision that cannot be delivered reopens its action. Thread-safe.
class DecisionCallbacks
{
public:
    DecisionCallbacks(PluginContext& context, ActionQueue& queue);
    void start();

private:
    void send(Transaction& transaction, Tenant tenant, const Action& action) const;
    std::optional<DeliveryEndpoint> endpoint(std::string_view actionId) const;
    void attempted(const DeliveryAttempt& attempt) const;
    void settle(std::string_view actionId, bool applied, std::string_view error) const;
    /// Ends decisions whose last attempt was not reported, because the host stopped.
    void sweep() const;

    PluginContext& _context;
    ActionQueue& _queue;
};

} // namespace portico::launchpad
