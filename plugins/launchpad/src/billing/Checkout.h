#pragma once

#include "billing/Subscription.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

enum class CheckoutStatus : std::uint8_t
{
    Open,
    Paid,
    Expired,
    Canceled
};

constexpr auto schemaOf(const CheckoutStatus*)
{
    using enum CheckoutStatus;
    return portico::choices<CheckoutStatus>({{"open", Open}, {"paid", Paid}, {"expired", Expired}, {"canceled", Canceled}});
}

/// Stores the choice of a buyer. The row is committed before the processor's session is created, so that a retry creates the same session.
struct Checkout : Versioned, PlanChoice
{
    CheckoutId id;
    CheckoutStatus status = CheckoutStatus::Open;
    ProcessorKind processor = ProcessorKind::Manual;
    std::string email;
    std::string workspaceName;
    std::string createdBy;
    std::string claimTokenHash;
    std::string requestKey;
    std::string successUrl;
    std::string cancelUrl;
    std::string processorSessionId;
    std::string checkoutUrl;
    std::string processorSubscriptionId;
    Instant expiresAt{};
    std::optional<Instant> paidAt;
    std::optional<Instant> claimedAt;
    bool unclaimedReported = false;
};

constexpr auto schemaOf(const Checkout*)
{
    return describe(members<&Checkout::id, &Checkout::kind, &Checkout::status, &Checkout::processor, &Checkout::package,
                            &Checkout::selectedServiceIds, &Checkout::seats>(),
                    field<&Checkout::interval>().column("billing_interval"),
                    members<&Checkout::amountPerSeat, &Checkout::currency, &Checkout::email, &Checkout::workspaceName>(),
                    field<&Checkout::ownerType>("owner_type").column("owner_type"),
                    field<&Checkout::ownerId>("owner_id").column("owner_id"), field<&Checkout::createdBy>().columnOnly(),
                    field<&Checkout::claimTokenHash>().columnOnly(), field<&Checkout::requestKey>().columnOnly(),
                    field<&Checkout::successUrl>().columnOnly(), field<&Checkout::cancelUrl>().columnOnly(),
                    field<&Checkout::processorSessionId>().columnOnly(), field<&Checkout::checkoutUrl>().columnOnly(),
                    members<&Checkout::processorSubscriptionId, &Checkout::expiresAt, &Checkout::paidAt, &Checkout::claimedAt>(),
                    field<&Checkout::unclaimedReported>().columnOnly(), versioned<Checkout>());
}

/// Returns true for a checkout that an operator marks as paid or canceled.
bool isMarkable(const Checkout& checkout);

/// Rows of checkouts.
namespace checkouts
{
std::optional<Checkout> find(Session& session, std::string_view id);
std::optional<Checkout> findBySession(Session& session, std::string_view processorSessionId);
std::optional<Checkout> findBySubscription(Session& session, std::string_view processorSubscriptionId);
/// An open checkout that was made by the same request.
std::optional<Checkout> findOpenByRequest(Session& session, std::string_view requestKey);
/// Checkouts that a person made, or owns.
std::vector<Checkout> ofPerson(Session& session, std::string_view userId);
std::vector<Checkout> openOf(Session& session, std::string_view ownerId);
/// The newest checkouts of all owners, the newest first.
std::vector<Checkout> newest(Session& session, std::int64_t limit);
/// Calls a function with every checkout, the oldest first.
void each(Session& session, const std::function<void(const Checkout&)>& function);
void insert(Transaction& transaction, const Checkout& checkout);
/// Writes a checkout under its next version. @throws DatabaseError Serialization if another writer was faster
void update(Transaction& transaction, Checkout& checkout, Instant now);
} // namespace checkouts

} // namespace portico::launchpad
