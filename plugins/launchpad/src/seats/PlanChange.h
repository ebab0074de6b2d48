#pragma once

#include "billing/SubscriptionSync.h"
#include "plans/PriceList.h"
#include "seats/SeatKeeper.h"

#include "portico/Arguments.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// The wanted plan. Absent members stay.
struct PlanWish
{
    std::optional<Package> package;
    std::optional<std::int64_t> seats;
    std::optional<BillingInterval> interval;
    std::optional<std::vector<std::string>> selectedServiceIds;
};

/// A plan with its price.
struct PlanTerms
{
    Package package = Package::Three;
    std::int64_t seats = 0;
    Price unitPrice;
    std::int64_t total = 0;
    std::string currency;
    BillingInterval interval = BillingInterval::Month;
    std::vector<std::string> selectedServiceIds;
};

constexpr auto schemaOf(const PlanTerms*)
{
    return describe(members<&PlanTerms::package, &PlanTerms::seats, &PlanTerms::unitPrice, &PlanTerms::total, &PlanTerms::currency,
                            &PlanTerms::interval, &PlanTerms::selectedServiceIds>());
}

struct PreviewProration
{
    std::int64_t creditAmount = 0;
    std::int64_t chargeNow = 0;
    std::optional<Instant> nextInvoiceAt;
    std::int64_t nextInvoiceTotal = 0;
    /// The time that the amounts are for.
    Instant at{};
};

constexpr auto schemaOf(const PreviewProration*)
{
    return describe(
        members<&PreviewProration::creditAmount, &PreviewProration::chargeNow, &PreviewProration::nextInvoiceAt,
                &PreviewProration::nextInvoiceTotal>(),
        field<&PreviewProration::at>().description("Value for `prorationDate` of the change, so that the invoice has these amounts"));
}

struct PlanPreview
{
    PlanTerms current;
    PlanTerms proposed;
    PreviewProration proration;
    std::vector<std::string> appsGained;
    std::vector<std::string> appsLost;
    std::int64_t seatsShort = 0;
};

constexpr auto schemaOf(const PlanPreview*)
{
    return describe(members<&PlanPreview::current, &PlanPreview::proposed, &PlanPreview::proration, &PlanPreview::appsGained,
                            &PlanPreview::appsLost, &PlanPreview::seatsShort>());
}

/// Previews and makes changes of paid subscriptions, at the processor or, with the manual one, in the row. Thread-safe.
class PlanChange
{
public:
    PlanChange(PluginContext& context, const PriceList& prices, const Registry& registry, const ProcessorApi& api,
               const SubscriptionSync& sync, const PlanEffects& effects)
        : _context(context), _prices(prices), _registry(registry), _api(api), _sync(sync), _effects(effects)
    {
    }
    void start();

    /// @throws Problem 400 as a checkout; 502
    PlanPreview preview(const Subscription& subscription, const PlanWish& request) const;
    /// Makes a change, and drops a later one that waits or is repeated.
    /// @param at time of the preview; empty: now
    /// @param requestKey the same for a repeated request
    /// @throws Problem 400 as a checkout; 409 `seats_in_use`, `no_subscription`; 412; 502; 503 `overloaded` if another change takes too
    /// long
    void change(const Subscription& subscription, const IfMatch& ifMatch, const PlanWish& request, std::optional<Instant> at,
                std::string_view requestKey) const;
    /// The same at the end of the period, unless more seats are assigned then than the plan includes: the owner gets an action instead.
    /// @throws Problem as `change`
    void changeLater(const Subscription& subscription, const IfMatch& ifMatch, const PlanWish& request) const;
    /// Cancels at the end of the period, or withdraws that. @throws Problem as `change`
    void setCancel(const Subscription& subscription, const IfMatch& ifMatch, bool cancel, std::string_view requestKey) const;
    /// @throws Problem as `change`
    void cancelNow(const Subscription& subscription, const IfMatch& ifMatch) const;

private:
    PlanTerms termsOf(const Subscription& subscription) const;
    PlanTerms wanted(const Subscription& subscription, const PlanWish& request) const;
    void requireSeats(const Subscription& subscription, const PlanTerms& terms) const;
    /// Runs `work` while no other change of the subscription is made. @throws Problem 503 `overloaded`
    void inTurn(const std::string& subscriptionId, const std::function<void()>& work) const;
    /// The same with the row that the last change has left. @throws Problem 409 `no_subscription`; 412; 503 `overloaded`
    void inTurn(const Subscription& subscription, const IfMatch& ifMatch, const std::function<void(const Subscription&)>& work) const;
    /// Drops a later change that waits or is repeated, and closes the action about one that was not made.
    void dropLater(Transaction& transaction, const Subscription& subscription) const;
    void reportNotMade(const Subscription& subscription, const PlanTerms& terms, std::int64_t used) const;
    void apply(const Subscription& subscription, const PlanTerms& terms, std::optional<Instant> at, std::string_view changeId) const;
    void storeLater(Transaction& transaction, const Subscription& subscription, const PlanTerms& terms) const;
    /// Changes the stored subscription, with its owner locked. For subscriptions without a processor.
    void editRow(const Subscription& subscription, const std::function<void(Transaction&, Subscription&)>& edit) const;
    void applyManually(const Subscription& subscription, const PlanTerms& terms) const;
    /// Stored form of a change, before the processor is called.
    struct StoredChange
    {
        std::string id;
        Instant at{};
    };
    StoredChange changeRow(const Subscription& subscription, std::string_view verb, std::string_view requestKey) const;
    FormFields itemFields(const Subscription& subscription, const PlanTerms& terms, const std::string& prefix) const;
    /// Forgets a change that the processor rejected, so that the next attempt is another change.
    /// @param changeId empty: the write is not stored
    /// @throws Problem 402 `payment_failed`; 502
    void requireDone(const ProcessorAnswer& answer, std::string_view changeId) const;

    PluginContext& _context;
    const PriceList& _prices;
    const Registry& _registry;
    const ProcessorApi& _api;
    const SubscriptionSync& _sync;
    const PlanEffects& _effects;
};

} // namespace portico::launchpad
