#pragma once

#include "seats/PlanChange.h"
#include "seats/SeatKeeper.h"
#include "seats/SubscriptionView.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portico::launchpad
{

struct OwnerQuery
{
    std::string ownerType;
    std::string ownerId;
};

constexpr auto schemaOf(const OwnerQuery*)
{
    return describe(field<&OwnerQuery::ownerType>("owner_type"), field<&OwnerQuery::ownerId>("owner_id"));
}

struct SubscriptionLists
{
    std::vector<SubscriptionView> paid;
    std::vector<SubscriptionView> freeWorkspace;
    /// `none`, `manual` or `stripe`.
    ProcessorKind processor = ProcessorKind::None;
};

constexpr auto schemaOf(const SubscriptionLists*)
{
    return describe(members<&SubscriptionLists::paid, &SubscriptionLists::freeWorkspace, &SubscriptionLists::processor>());
}

struct PreviewQuery
{
    std::string organizationId;
    std::optional<Package> package;
    std::optional<std::int64_t> seats;
    std::optional<BillingInterval> interval;
    std::vector<std::string> selectedServiceIds;
};

constexpr auto schemaOf(const PreviewQuery*)
{
    return describe(
        field<&PreviewQuery::organizationId>().description("Active organization, the default; in personal context the caller's ID"),
        field<&PreviewQuery::package>(), field<&PreviewQuery::seats>().range(1, 10'000), field<&PreviewQuery::interval>(),
        field<&PreviewQuery::selectedServiceIds>());
}

struct PortalInput
{
    std::string ownerType;
    std::string ownerId;
    std::string returnPath = "/settings/billing";
};

constexpr auto schemaOf(const PortalInput*)
{
    return describe(field<&PortalInput::ownerType>("owner_type").maxLength(20), field<&PortalInput::ownerId>("owner_id").maxLength(60),
                    field<&PortalInput::returnPath>().maxLength(2000));
}

struct PortalAnswer
{
    std::string url;
    Instant expiresAt{};
};

constexpr auto schemaOf(const PortalAnswer*) { return describe(members<&PortalAnswer::url, &PortalAnswer::expiresAt>()); }

enum class ChangeTime : std::uint8_t
{
    Now,
    PeriodEnd
};

constexpr auto schemaOf(const ChangeTime*)
{
    return portico::choices<ChangeTime>({{"now", ChangeTime::Now}, {"period_end", ChangeTime::PeriodEnd}});
}

struct ChangeInput
{
    std::optional<Package> package;
    std::optional<std::int64_t> seats;
    std::optional<BillingInterval> interval;
    std::optional<std::vector<std::string>> selectedServiceIds;
    std::optional<ChangeTime> at;
    std::optional<Instant> prorationDate;
};

constexpr auto schemaOf(const ChangeInput*)
{
    return describe(field<&ChangeInput::package>(), field<&ChangeInput::seats>().range(1, 10'000), field<&ChangeInput::interval>(),
                    field<&ChangeInput::selectedServiceIds>().maxItems(100), field<&ChangeInput::at>(),
                    field<&ChangeInput::prorationDate>().description("`proration.at` of a preview that is at most one hour old"));
}

struct SeatQuery
{
    std::string subscriptionId;
};

constexpr auto schemaOf(const SeatQuery*) { return describe(field<&SeatQuery::subscriptionId>().required()); }

struct SeatInput
{
    std::string subscriptionId;
    WantedAssignee assignee;
};

constexpr auto schemaOf(const SeatInput*)
{
    return describe(field<&SeatInput::subscriptionId>().required().maxLength(60), field<&SeatInput::assignee>().required());
}

struct SeatView
{
    std::string id;
    std::string subscriptionId;
    SeatAssignee assignee;
    Instant assignedAt{};
    std::string assignedBy;
};

constexpr auto schemaOf(const SeatView*)
{
    return describe(members<&SeatView::id, &SeatView::subscriptionId, &SeatView::assignee, &SeatView::assignedAt, &SeatView::assignedBy>())
        .named("Seat");
}

struct ReconcileInput
{
    std::string ownerType;
    std::string ownerId;
    bool dryRun = false;
};

constexpr auto schemaOf(const ReconcileInput*)
{
    return describe(field<&ReconcileInput::ownerType>("owner_type").maxLength(20),
                    field<&ReconcileInput::ownerId>("owner_id").maxLength(60), field<&ReconcileInput::dryRun>());
}

/// Subscriptions, seats, previews, changes, the portal and the reconciliation. Thread-safe.
class BillingRoutes
{
public:
    BillingRoutes(PluginContext& context, const BillingSettings& settings, const ProcessorApi& api, const PlanChange& changes,
                  const SeatKeeper& seats)
        : _context(context), _settings(settings), _api(api), _changes(changes), _seats(seats)
    {
    }
    void declare(Routes& routes);

    SubscriptionLists list(const Caller& caller, const Query<OwnerQuery>& query) const;
    PlanPreview preview(const Caller& caller, const Query<PreviewQuery>& query) const;
    Created<PortalAnswer> portal(const Caller& caller, const Body<PortalInput>& input) const;
    Reply<SubscriptionView> change(const Request& request, const Path<std::string>& id, const Body<ChangeInput>& input,
                                   const IfMatch& ifMatch) const;
    Reply<SubscriptionView> cancel(const Request& request, const Path<std::string>& id, const Body<ChangeInput>& input,
                                   const IfMatch& ifMatch) const;
    Reply<SubscriptionView> resume(const Request& request, const Path<std::string>& id, const Body<ChangeInput>& input,
                                   const IfMatch& ifMatch) const;
    Page<SeatView> listSeats(const Caller& caller, const Query<SeatQuery>& query, const Paging& paging) const;
    Created<SeatView> assign(const Caller& caller, const Body<SeatInput>& input) const;
    NoContent free(const Caller& caller, const Path<std::string>& id) const;
    Reconciliation reconcile(const Request& request, const Body<ReconcileInput>& input) const;

private:
    Owner ownerFor(const Caller& caller, const std::string& type, const std::string& id) const;
    Subscription requireSubscription(const Caller& caller, std::string_view id) const;
    void requireElevation(const Caller& caller) const;
    Reply<SubscriptionView> shown(const Subscription& subscription) const;

    PluginContext& _context;
    const BillingSettings& _settings;
    const ProcessorApi& _api;
    const PlanChange& _changes;
    const SeatKeeper& _seats;
};

} // namespace portico::launchpad
