#pragma once

#include "actions/ActionQueue.h"
#include "billing/Subscription.h"
#include "catalog/Registry.h"

#include "portico/Plugin.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// How long a past-due subscription keeps its access.
inline constexpr auto pastDueGrace = std::chrono::days(14);

/// Returns whether a subscription gives access at a time.
bool givesAccess(const Subscription& subscription, Instant now);

/// Applies the effects of a subscription: access to apps through identity, and actions about payments. Each change is a job that is written
/// in the transaction of the subscription. Thread-safe.
class PlanEffects
{
public:
    PlanEffects(PluginContext& context, const BillingSettings& settings, const Registry& registry, ActionQueue& actions)
        : _context(context), _settings(settings), _registry(registry), _actions(actions)
    {
    }
    void start();

    /// Plans that the access of an owner is compared with its subscription.
    void changed(Transaction& transaction, const Subscription& subscription) const;
    /// Opens or closes the action about failed payments, as `paymentFailing` says.
    void paymentChanged(Transaction& transaction, const Subscription& subscription) const;
    /// Opens an action for the owner, or for the operators if the owner has no queue.
    void report(Transaction& transaction, const Owner& owner, ActionKind kind, std::string title, std::string body,
                std::string dedupeKey) const;
    /// Closes an action of an owner, or of the operators if the owner has no queue.
    void close(Transaction& transaction, const Owner& owner, std::string_view dedupeKey, std::string_view why) const;
    /// Returns whether such an action is open.
    bool isOpen(Session& session, const Owner& owner, std::string_view dedupeKey) const;
    /// Reports jobs of a type that have failed for good to the operators, once while the action is open. Call it after `handle`.
    void reportFailures(std::string_view jobType) const;
    /// Closes an action of the operators whose cause has ended.
    void closeOperators(Transaction& transaction, std::string_view dedupeKey, std::string_view why) const;
    /// Apps that a subscription includes: eligible ones, chosen or all.
    std::vector<std::string> appsOf(Package package, const std::vector<std::string>& selected) const;
    /// Compares access of one organization with its subscription now.
    void apply(std::string_view ownerId) const;

private:
    void applyToAll() const;
    Owner operators() const;
    Owner receiverOf(const Owner& owner) const;

    PluginContext& _context;
    const BillingSettings& _settings;
    const Registry& _registry;
    ActionQueue& _actions;
};

} // namespace portico::launchpad
