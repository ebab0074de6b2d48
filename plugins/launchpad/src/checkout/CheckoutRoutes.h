#pragma once

#include "checkout/CheckoutService.h"
#include "common/AdminSessions.h"
#include "seats/SubscriptionView.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct CheckoutAnswer
{
    std::string checkoutId;
    CheckoutStatus status = CheckoutStatus::Open;
    std::string checkoutUrl;
    std::optional<std::string> claimToken;
    Instant expiresAt{};
};

constexpr auto schemaOf(const CheckoutAnswer*)
{
    return describe(members<&CheckoutAnswer::checkoutId, &CheckoutAnswer::status, &CheckoutAnswer::checkoutUrl>(),
                    field<&CheckoutAnswer::claimToken>("claim_token").omitEmpty().description("Only for a checkout without an owner"),
                    field<&CheckoutAnswer::expiresAt>());
}

struct CheckoutState
{
    CheckoutStatus status = CheckoutStatus::Open;
    PlanKind kind = PlanKind::Paid;
    std::optional<Package> package;
    std::int64_t seats = 1;
    bool claimed = false;
    std::optional<std::string> subscriptionId;
};

constexpr auto schemaOf(const CheckoutState*)
{
    return describe(
        members<&CheckoutState::status, &CheckoutState::kind, &CheckoutState::package, &CheckoutState::seats, &CheckoutState::claimed>(),
        field<&CheckoutState::subscriptionId>().omitEmpty());
}

struct ClaimInput
{
    std::string checkoutId;
    std::string claimToken;
    std::string ownerType;
    std::string ownerId;
};

constexpr auto schemaOf(const ClaimInput*)
{
    return describe(field<&ClaimInput::checkoutId>().required().maxLength(60),
                    field<&ClaimInput::claimToken>("claim_token").required().maxLength(200),
                    field<&ClaimInput::ownerType>("owner_type").required().maxLength(20),
                    field<&ClaimInput::ownerId>("owner_id").required().maxLength(60));
}

struct MarkInput
{
    CheckoutStatus status = CheckoutStatus::Paid;
};

constexpr auto schemaOf(const MarkInput*) { return describe(field<&MarkInput::status>().required()); }

struct CheckoutFilter
{
    std::vector<CheckoutStatus> status;
};

constexpr auto schemaOf(const CheckoutFilter*) { return describe(members<&CheckoutFilter::status>()); }

/// Checkouts of visitors and owners, claims, and the operators' list. Thread-safe.
class CheckoutRoutes
{
public:
    CheckoutRoutes(PluginContext& context, const CheckoutService& service, const HumanChecks& humans, const AdminSessions& sessions);
    void declare(Routes& routes);

    using ClaimToken = Header<"Claim-Token", std::optional<std::string>>;
    Created<CheckoutAnswer> open(const Request& request, const Body<CheckoutInput>& input) const;
    Created<CheckoutAnswer> openFreeWorkspace(const Request& request, const Body<FreeWorkspaceInput>& input) const;
    CheckoutState show(const Request& request, const Path<std::string>& id, const ClaimToken& claimToken) const;
    SubscriptionView claim(const Caller& caller, const Body<ClaimInput>& input) const;
    Page<Checkout> list(const Request& request, const Query<CheckoutFilter>& filter, const Paging& paging) const;
    Response file(const Request& request) const;
    Checkout mark(const Request& request, const Path<std::string>& id, const Body<Patch<MarkInput>>& input, const IfMatch& ifMatch) const;

private:
    void requireOperator(const Request& request) const;

    PluginContext& _context;
    const CheckoutService& _service;
    const HumanChecks& _humans;
    const AdminSessions& _sessions;
    const RateLimit _perAddress;
};

} // namespace portico::launchpad
