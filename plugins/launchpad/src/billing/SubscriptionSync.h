#pragma once

#include "billing/PlanEffects.h"
#include "billing/ProcessorApi.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// A state that was read from the processor.
struct ReadState
{
    ProcessorSubscription subscription;
    /// By the processor's clock; 0 if it named no time.
    std::int64_t seconds = 0;
};

/// Writes subscriptions as the processor has them. The row after a set of events is the same for every order of the events.
/// Thread-safe.
class SubscriptionSync
{
public:
    SubscriptionSync(PluginContext& context, const ProcessorApi& api, const PlanEffects& effects)
        : _context(context), _api(api), _effects(effects)
    {
    }
    void start();

    /// Plans the processing of a subject's events, in the transaction that stores one of them.
    static void enqueue(PluginContext& context, Transaction& transaction, const std::string& subject);
    /// Enqueues jobs that cancel all live subscriptions of a deleted owner, also at the processor.
    static void endAll(PluginContext& context, Transaction& transaction, std::string_view ownerId);
    /// Processes the events of a subject that are waiting. @throws JobRetry if the processor rejects the credentials
    void drain(const std::string& subject) const;
    /// Reads a subscription from the processor and writes it. @return false if it cannot be read
    bool refresh(const std::string& processorSubscriptionId) const;
    /// Writes a state without a processor, and applies its effects. The caller must have locked the owner.
    void store(Transaction& transaction, Subscription& subscription, bool paymentChanged) const;
    /// Called with each subscription that was written, in its transaction.
    std::function<void(Transaction&, const Subscription&)> written;

private:
    struct Waiting
    {
        std::vector<ProcessorEvent> events;
        std::int64_t ticket = 0;
    };
    Waiting begin(const std::string& subject) const;
    std::optional<ReadState> read(const std::string& processorSubscriptionId) const;
    void apply(Transaction& transaction, const std::string& subject, const std::vector<ProcessorEvent>& events,
               const std::optional<ReadState>& state, std::int64_t ticket) const;
    void applySubscription(Transaction& transaction, const std::string& subject, const std::vector<ProcessorEvent>& events,
                           const std::optional<ReadState>& state) const;
    void applySessions(Transaction& transaction, const std::vector<ProcessorEvent>& events) const;
    std::optional<Subscription> look(const std::string& processorSubscriptionId) const;
    /// @throws std::runtime_error if the processor does not respond
    void cancelNow(const Subscription& subscription) const;
    void end(const std::string& processorSubscriptionId) const;
    void cancelSurplus(const std::string& processorSubscriptionId) const;
    void expireOthers(const std::string& ownerId, const std::string& paidCheckoutId) const;

    PluginContext& _context;
    const ProcessorApi& _api;
    const PlanEffects& _effects;
};

} // namespace portico::launchpad
