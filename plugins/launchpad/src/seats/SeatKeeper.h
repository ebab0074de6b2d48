#pragma once

#include "billing/SubscriptionSync.h"
#include "seats/Seat.h"

#include "portico/interfaces/Seats.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// A difference that the reconciliation has found.
struct Correction
{
    std::string subscriptionId;
    std::int64_t purchased = 0;
    std::int64_t used = 0;
    std::int64_t processorQuantity = 0;
    /// `seats_updated`, `seat_freed` or `over_limit`.
    std::string action;
};

constexpr auto schemaOf(const Correction*)
{
    return describe(members<&Correction::subscriptionId, &Correction::purchased, &Correction::used, &Correction::processorQuantity,
                            &Correction::action>());
}

struct CorrectionError
{
    std::string subscriptionId;
    std::string code;
};

constexpr auto schemaOf(const CorrectionError*) { return describe(members<&CorrectionError::subscriptionId, &CorrectionError::code>()); }

struct Reconciliation
{
    std::int64_t checked = 0;
    std::vector<Correction> corrected;
    std::vector<CorrectionError> errors;
};

constexpr auto schemaOf(const Reconciliation*)
{
    return describe(members<&Reconciliation::checked, &Reconciliation::corrected, &Reconciliation::errors>());
}

/// Keeps seats within what was purchased: frees those of former members, reports overuse, and compares with the processor every night.
/// Provides `launchpad.seats`. Thread-safe.
class SeatKeeper final : public interfaces::Seats
{
public:
    SeatKeeper(PluginContext& context, const BillingSettings& settings, const ProcessorApi& api, SubscriptionSync& sync,
               const PlanEffects& effects)
        : _context(context), _settings(settings), _api(api), _sync(sync), _effects(effects)
    {
    }
    void start();

    bool hasRoom(Tenant organization, std::int64_t occupied) override;
    bool hasLiveSubscription(std::string_view ownerId) override;

    /// Checks that an assignee belongs to an owner and is of the named type.
    /// @return the assignee with its type
    /// @throws Problem 400 `validation_failed`
    SeatAssignee requireAssignee(const Owner& owner, const WantedAssignee& assignee) const;
    /// Compares seats with members and with the processor. @param owner unknown: all @param dryRun true: reports only
    Reconciliation reconcile(const Owner& owner, bool dryRun) const;
    /// Opens or closes the action about more seats than were purchased. The caller must have locked the owner.
    void compareWithPurchase(Transaction& transaction, const Subscription& subscription) const;

private:
    bool belongs(const Owner& owner, const std::string& assigneeId) const;
    void reconcileOne(Reconciliation& result, const std::string& subscriptionId, bool dryRun) const;
    /// Frees the seats of users who left. @param userId empty: checks every seat
    void membersLeft(const std::string& ownerId, const std::string& userId) const;

    PluginContext& _context;
    const BillingSettings& _settings;
    const ProcessorApi& _api;
    SubscriptionSync& _sync;
    const PlanEffects& _effects;
};

} // namespace portico::launchpad
