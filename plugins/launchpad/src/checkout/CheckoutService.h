#pragma once

#include "billing/Checkout.h"
#include "billing/ProcessorApi.h"
#include "billing/SubscriptionSync.h"
#include "catalog/Registry.h"
#include "common/HumanChecks.h"
#include "plans/PriceList.h"

#include "portico/Plugin.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::launchpad
{

/// Body of `POST /api/public/checkout`.
struct CheckoutInput
{
    Package package = Package::Three;
    std::vector<std::string> selectedServiceIds;
    std::int64_t seats = 1;
    BillingInterval interval = BillingInterval::Month;
    std::optional<std::int64_t> amountPerSeat;
    std::string currency;
    std::string email;
    std::string ownerType;
    std::string ownerId;
    std::string successUrl;
    std::string cancelUrl;
};

/// Checkouts that one address may open.
inline constexpr std::int64_t checkoutsPerHour = 20;
inline constexpr std::int64_t maxSeats = 10'000;
inline constexpr std::int64_t maxSeatAmount = 99'999'999;

constexpr auto schemaOf(const CheckoutInput*)
{
    return describe(
        field<&CheckoutInput::package>().required(),
        field<&CheckoutInput::selectedServiceIds>().maxItems(100).description(
            "Exactly the number of apps of the package; empty for the package with all apps"),
        field<&CheckoutInput::seats>().range(1, maxSeats), field<&CheckoutInput::interval>(),
        field<&CheckoutInput::amountPerSeat>().range(1, maxSeatAmount).description("At least the listed minimum; default: that minimum"),
        field<&CheckoutInput::currency>().required().maxLength(3), field<&CheckoutInput::email>().email().maxLength(254),
        field<&CheckoutInput::ownerType>("owner_type").maxLength(20), field<&CheckoutInput::ownerId>("owner_id").maxLength(60),
        field<&CheckoutInput::successUrl>().maxLength(2000), field<&CheckoutInput::cancelUrl>().maxLength(2000));
}

/// Body of `POST /api/public/free-workspace`.
struct FreeWorkspaceInput
{
    std::string email;
    std::string workspaceName;
    std::string ownerType;
    std::string ownerId;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const FreeWorkspaceInput*)
{
    return describe(field<&FreeWorkspaceInput::email>().required().email().maxLength(254),
                    field<&FreeWorkspaceInput::workspaceName>().trimmed().maxLength(120),
                    field<&FreeWorkspaceInput::ownerType>("owner_type").maxLength(20),
                    field<&FreeWorkspaceInput::ownerId>("owner_id").maxLength(60), field<&FreeWorkspaceInput::humanVerification>());
}

/// A checkout that was opened.
struct OpenedCheckout
{
    Checkout checkout;
    /// Empty for a checkout with an owner.
    std::string claimToken;
    bool existed = false;
};

/// Opens checkouts, marks them as paid and links them to owners. Thread-safe.
class CheckoutService
{
public:
    CheckoutService(PluginContext& context, const BillingSettings& settings, const PriceList& prices, const Registry& registry,
                    const ProcessorApi& api, const SubscriptionSync& sync, const PlanEffects& effects)
        : _context(context), _settings(settings), _prices(prices), _registry(registry), _api(api), _sync(sync), _effects(effects)
    {
    }
    void start();

    /// @param buyer null for a visitor
    /// @param requestKey of the client; empty if it sent none
    /// @throws Problem 400 `amount_below_minimum`, `bundle_size_mismatch`, `not_bundle_eligible`, `enterprise_requires_contact`; 403
    /// `billing_permission_required`; 409 `billing_not_configured`, `active_subscription_exists`; 502
    OpenedCheckout open(const CheckoutInput& input, const Caller* buyer, std::string_view requestKey) const;
    /// @throws Problem 403, 409 `billing_not_configured`, `free_workspace_exists`; 502
    OpenedCheckout openFreeWorkspace(const FreeWorkspaceInput& input, const Caller* buyer, std::string_view requestKey) const;
    /// Links a checkout to an owner.
    /// @return its subscription; empty if it is not paid yet
    /// @throws Problem 403 `claim_token_invalid`, `billing_permission_required`; 409 `already_claimed`, `active_subscription_exists`
    std::pair<Checkout, std::optional<Subscription>> claim(const Caller& caller, std::string_view checkoutId, std::string_view token,
                                                           const Owner& owner) const;
    /// Marks a checkout as paid or canceled for an operator. @throws Problem 404; 409 `invalid_transition`; 412
    Checkout mark(std::string_view checkoutId, CheckoutStatus status, const IfMatch& ifMatch) const;
    /// Returns whether a text is the claim token of a checkout.
    static bool isClaimToken(const Checkout& checkout, std::string_view token);

private:
    OpenedCheckout begin(Checkout wanted, const Caller* buyer, std::string_view requestKey) const;
    void openSession(Checkout& checkout) const;
    Owner ownerFor(const Caller* buyer, const std::string& type, const std::string& id) const;
    void requireNoSubscription(Session& session, PlanKind kind, const Owner& owner) const;
    std::string returnUrl(const std::string& wanted, std::string_view field, std::string_view path) const;
    std::string customerOf(const Owner& owner) const;
    void subscribeManually(Transaction& transaction, const Checkout& checkout) const;
    void tagProcessor(const std::string& checkoutId) const;
    void tick() const;

    PluginContext& _context;
    const BillingSettings& _settings;
    const PriceList& _prices;
    const Registry& _registry;
    const ProcessorApi& _api;
    const SubscriptionSync& _sync;
    const PlanEffects& _effects;
};

} // namespace portico::launchpad
