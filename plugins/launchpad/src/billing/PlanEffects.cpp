#include "billing/PlanEffects.h"

#include "portico/interfaces/PlanAccess.h"

#include <algorithm>
#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto accessJob = "billing-access";
constexpr auto allAccessJob = "billing-access-all";
constexpr auto allAccessInterval = std::chrono::hours(1);
constexpr std::size_t organizationsAtOnce = 200;

struct OwnerPayload
{
    std::string ownerId;
};

constexpr auto schemaOf(const OwnerPayload*) { return describe(members<&OwnerPayload::ownerId>()); }

std::string failureKey(const Subscription& subscription) { return "payment_failed:" + subscription.id.text(); }
} // namespace

bool givesAccess(const Subscription& subscription, Instant now)
{
    using enum SubscriptionStatus;
    if (subscription.status == PastDue) return !subscription.pastDueSince || now < *subscription.pastDueSince + pastDueGrace;
    return subscription.status == Active || subscription.status == Trialing;
}

void PlanEffects::start()
{
    auto& jobs = _context.jobs();
    jobs.handle<OwnerPayload>(accessJob, [this](const OwnerPayload& owner, const Job&) { apply(owner.ownerId); });
    jobs.handle(allAccessJob, [this](const Job&) { applyToAll(); });
    if (_settings.enforce && _settings.sells()) jobs.every(allAccessJob, allAccessInterval);
}

void PlanEffects::changed(Transaction& transaction, const Subscription& subscription) const
{
    if (!_settings.enforce || subscription.kind != PlanKind::Paid || !subscription.owner().isOrganization()) return;
    _context.jobs().enqueue(transaction, accessJob, OwnerPayload{subscription.ownerId});
    // Access ends with the time of grace, though no event comes then.
    if (subscription.pastDueSince)
        _context.jobs().enqueue(transaction, accessJob, OwnerPayload{subscription.ownerId},
                                {.dedupeKey = "grace:" + subscription.id.text(), .dueAt = *subscription.pastDueSince + pastDueGrace});
}

void PlanEffects::paymentChanged(Transaction& transaction, const Subscription& subscription) const
{
    if (subscription.paymentFailing)
    {
        report(transaction, subscription.owner(), ActionKind::PaymentFailed, "A payment failed",
               "Update the payment method. Access ends 14 days after the first failure.", failureKey(subscription));
        return;
    }
    close(transaction, subscription.owner(), failureKey(subscription), "The payment succeeded.");
}

void PlanEffects::report(Transaction& transaction, const Owner& owner, ActionKind kind, std::string title, std::string body,
                         std::string dedupeKey) const
{
    const auto receiver = receiverOf(owner);
    if (!receiver.known())
    {
        _context.logger().warning("A billing event has no receiver", {{"title", title}, {"about", dedupeKey}});
        return;
    }
    Action action;
    action.kind = kind;
    action.severity = Severity::Warning;
    action.title = std::move(title);
    action.body = std::move(body);
    action.source = {std::string(ownServiceId), "billing", dedupeKey};
    action.assigneeType = receiver.isOrganization() ? AssigneeType::Role : AssigneeType::User;
    action.assigneeId = receiver.isOrganization() ? "owner" : receiver.id;
    action.href = "/settings/billing";
    action.dedupeKey = std::move(dedupeKey);
    _actions.open(transaction, Tenant::fromStored(receiver.id), std::move(action), "system");
}

void PlanEffects::reportFailures(std::string_view jobType) const
{
    _context.jobs().onFailure(jobType,
                              [this](const Job& job, std::string_view error)
                              {
                                  _context.database().transact(
                                      [&](Transaction& transaction)
                                      {
                                          report(transaction, {}, ActionKind::SecurityAlert, "A billing job has failed",
                                                 "The job " + job.id + " of the type " + job.type + " has failed for good: " +
                                                     std::string(error) + ". Correct the cause, then retry the failed jobs of this type.",
                                                 "billing_job_failed:" + job.type);
                                      });
                              });
}

Owner PlanEffects::operators() const
{
    const auto identity = _context.services().find<interfaces::PlanAccess>();
    return identity ? ownerOf(toString(OwnerType::Organization), identity->adminOrganization()) : Owner{};
}

void PlanEffects::closeOperators(Transaction& transaction, std::string_view dedupeKey, std::string_view why) const
{
    close(transaction, {}, dedupeKey, why);
}

Owner PlanEffects::receiverOf(const Owner& owner) const
{
    auto receiver = actionOwner(owner);
    return receiver.known() ? receiver : operators();
}

void PlanEffects::close(Transaction& transaction, const Owner& owner, std::string_view dedupeKey, std::string_view why) const
{
    if (const auto receiver = receiverOf(owner); receiver.known())
        _actions.close(transaction, Tenant::fromStored(receiver.id), dedupeKey, why);
}

bool PlanEffects::isOpen(Session& session, const Owner& owner, std::string_view dedupeKey) const
{
    const auto receiver = receiverOf(owner);
    return receiver.known() && actionTable.select(Tenant::fromStored(receiver.id))
                                   .where(&Action::dedupeKey, std::string(dedupeKey))
                                   .whereIn(&Action::status, {ActionStatus::Open, ActionStatus::Snoozed})
                                   .exists(session);
}

std::vector<std::string> PlanEffects::appsOf(Package package, const std::vector<std::string>& selected) const
{
    std::vector<std::string> apps;
    for (const auto& app : _registry.apps()->all())
        if (app.shown.commerce.bundleEligible &&
            (package == Package::Everything || std::ranges::find(selected, app.shown.serviceId) != selected.end()))
            apps.push_back(app.shown.serviceId);
    return apps;
}

void PlanEffects::apply(std::string_view ownerId) const
{
    if (!_settings.enforce || !_settings.sells() || !OrganizationId::parse(ownerId)) return;
    const auto identity = _context.services().find<interfaces::PlanAccess>();
    if (!identity) throw std::runtime_error("identity is not available: access is compared again later");
    std::vector<std::string> included;
    std::string plan;
    {
        auto session = _context.database().session();
        const auto subscription = subscriptions::current(session, PlanKind::Paid, ownerId);
        if (subscription && givesAccess(*subscription, _context.clock().now()))
        {
            included = appsOf(subscription->package, subscription->selectedServiceIds);
            plan = toString(subscription->package);
        }
    }
    std::vector<interfaces::PlanGrant> grants;
    for (const auto& app : appsOf(Package::Everything, {})) grants.push_back({app, std::ranges::find(included, app) != included.end()});
    identity->apply(Tenant::fromStored(ownerId), grants, plan);
}

void PlanEffects::applyToAll() const
{
    const auto next = [this](const std::string& after) -> std::vector<std::string>
    {
        const auto identity = _context.services().find<interfaces::PlanAccess>();
        return identity ? identity->organizations(after, organizationsAtOnce) : std::vector<std::string>();
    };
    for (auto page = next({}); !page.empty(); page = next(page.back()))
        for (const auto& organization : page) apply(organization);
}

} // namespace portico::launchpad
