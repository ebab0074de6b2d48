#include "seats/BillingRoutes.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/system/OperatorRecords.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto portalLife = std::chrono::minutes(5);
constexpr auto previewLife = std::chrono::hours(1);
constexpr std::string_view ownPage = "/settings/billing";

bool isLoopback(std::string_view address) { return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127."); }

SeatView viewOfSeat(const Seat& seat)
{
    return {seat.id.text(), seat.subscriptionId, {seat.assigneeType, seat.assigneeId}, seat.assignedAt, seat.assignedBy};
}
} // namespace

void BillingRoutes::declare(Routes& routes)
{
    const auto read = access::bearer("billing:read").orPersonal();
    const auto manage = access::bearer("billing:manage").orPersonal().inPerson();
    const std::vector<std::string_view> changeProblems = {
        "400 bundle_size_mismatch", "400 not_bundle_eligible", "402 payment_failed", "403 billing_permission_required",
        "403 step_up_required",     "409 no_subscription",     "409 seats_in_use",   "502 processor_unavailable",
        "502 processor_rejected"};
    const auto changing = [&](std::string_view summary) -> RouteOptions
    { return {.summary = summary, .problems = changeProblems, .statuses = {202}}; };
    routes
        .get("/api/billing/subscriptions", read, &BillingRoutes::list, this,
             {.summary = "List the subscriptions of an owner", .problems = {"403 billing_permission_required"}})
        .get("/api/billing/preview", read, &BillingRoutes::preview, this,
             {.summary = "Preview the cost of a plan change",
              .problems = {"400 bundle_size_mismatch", "400 not_bundle_eligible", "403 billing_permission_required", "409 no_subscription",
                           "502 processor_unavailable", "502 processor_rejected"}})
        .post("/api/billing/portal", manage, &BillingRoutes::portal, this,
              {.summary = "Open the billing portal of the processor",
               .problems = {"403 billing_permission_required", "403 step_up_required", "409 no_customer", "502 processor_unavailable"}})
        .post("/api/billing/subscriptions/{id}/change", manage, &BillingRoutes::change, this, changing("Change package, apps or seats"))
        .post("/api/billing/subscriptions/{id}/cancel", manage, &BillingRoutes::cancel, this,
              changing("Cancel a subscription at the end of its period, or now"))
        .post("/api/billing/subscriptions/{id}/resume", manage, &BillingRoutes::resume, this, changing("Undo a scheduled cancellation"))
        .get("/api/billing/seats", manage, &BillingRoutes::listSeats, this, {.summary = "List the assigned seats of a subscription"})
        .post("/api/billing/seats", manage, &BillingRoutes::assign, this,
              {.summary = "Assign a seat to a person or an agent of the owner",
               .problems = {"409 seat_limit_reached", "409 already_seated", "409 no_subscription"}})
        .del("/api/billing/seats/{seatId}", manage, &BillingRoutes::free, this, {.summary = "Unassign a seat"})
        .post("/internal/billing/seats/reconcile", access::service(), &BillingRoutes::reconcile, this,
              {.summary = "Reconcile seats with members and the processor", .idempotencyKey = false});
}

Owner BillingRoutes::ownerFor(const Caller& caller, const std::string& type, const std::string& id) const
{
    if (type.empty() && id.empty()) return activeOwner(caller);
    const auto owner = ownerOf(type, id);
    if (!owner.known()) throw Problem::invalid("owner_id", "invalid_owner", "Expected the ID of an owner of that type");
    return owner;
}

void BillingRoutes::requireElevation(const Caller& caller) const
{
    const auto records = _context.services().find<interfaces::OperatorRecords>();
    if (!records) throw Problem::unavailable("validation_unavailable", "The sign-in cannot be confirmed at the moment. Try again later.");
    records->requireElevation(caller);
}

Subscription BillingRoutes::requireSubscription(const Caller& caller, std::string_view id) const
{
    auto session = _context.database().session();
    for (const auto kind : {PlanKind::Paid, PlanKind::FreeWorkspace})
        if (auto found = subscriptions::find(session, kind, id))
        {
            if (!mayBill(_context, caller, found->owner(), OwnerRight::Manage)) break;
            if (found->standing != SubscriptionStanding::Current) throw Problem::conflict("no_subscription", "The subscription has ended.");
            return *std::move(found);
        }
    throw Problem::notFound("There is no such subscription.");
}

Reply<SubscriptionView> BillingRoutes::shown(const Subscription& subscription) const
{
    auto session = _context.database().session();
    return {.record = viewOf(session, subscriptions::find(session, subscription.kind, subscription.id.text()).value()), .status = 202};
}

SubscriptionLists BillingRoutes::list(const Caller& caller, const Query<OwnerQuery>& query) const
{
    const auto owner = ownerFor(caller, query->ownerType, query->ownerId);
    requireBilling(_context, caller, owner, OwnerRight::Read);
    auto session = _context.database().snapshot();
    SubscriptionLists lists;
    lists.processor = _settings.processor;
    for (const auto& row : subscriptions::ofOwner(session, PlanKind::Paid, owner.id)) lists.paid.push_back(viewOf(session, row));
    for (const auto& row : subscriptions::ofOwner(session, PlanKind::FreeWorkspace, owner.id))
        lists.freeWorkspace.push_back(viewOf(session, row));
    return lists;
}

PlanPreview BillingRoutes::preview(const Caller& caller, const Query<PreviewQuery>& query) const
{
    const auto owner =
        query->organizationId.empty() ? activeOwner(caller) : ownerOf(toString(OwnerType::Organization), query->organizationId);
    requireBilling(_context, caller, owner, OwnerRight::Read);
    std::optional<Subscription> row;
    {
        auto session = _context.database().session();
        row = subscriptions::current(session, PlanKind::Paid, owner.id);
    }
    if (!row) throw Problem::conflict("no_subscription", "There is no subscription to change.");
    PlanWish wanted{query->package, query->seats, query->interval, {}};
    if (!query->selectedServiceIds.empty()) wanted.selectedServiceIds = query->selectedServiceIds;
    return _changes.preview(*row, wanted);
}

Created<PortalAnswer> BillingRoutes::portal(const Caller& caller, const Body<PortalInput>& input) const
{
    const auto owner = ownerFor(caller, input->ownerType, input->ownerId);
    requireBilling(_context, caller, owner, OwnerRight::Manage);
    requireElevation(caller);
    const auto& path = input->returnPath;
    if (!path.starts_with('/') || path.starts_with("//") || path.find('\\') != std::string::npos)
        throw Problem::invalid("returnPath", "foreign_url", "Expected a path of this service");
    const auto back = _context.host().origin + path;
    const auto expiresAt = _context.clock().now() + portalLife;
    std::string customer;
    bool known = false;
    {
        auto session = _context.database().session();
        for (const auto kind : {PlanKind::FreeWorkspace, PlanKind::Paid})
            for (const auto& row : subscriptions::ofOwner(session, kind, owner.id))
            {
                known = true;
                if (!row.customerId.empty()) customer = row.customerId;
            }
    }
    if (!known || (_settings.processor == ProcessorKind::Stripe && customer.empty()))
        throw Problem::conflict("no_customer", "The owner has bought nothing yet.");
    if (_settings.processor != ProcessorKind::Stripe) return {PortalAnswer{_context.host().origin + std::string(ownPage), expiresAt}};
    const auto answer = _api.post("/v1/billing_portal/sessions", {{"customer", customer}, {"return_url", back}}, "portal-" + randomToken());
    return {PortalAnswer{readText(ProcessorApi::require(answer), "url"), expiresAt}};
}

Reply<SubscriptionView> BillingRoutes::change(const Request& request, const Path<std::string>& id, const Body<ChangeInput>& input,
                                              const IfMatch& ifMatch) const
{
    const auto row = requireSubscription(*request.caller, *id);
    requireElevation(*request.caller);
    if (row.kind != PlanKind::Paid) throw Problem::conflict("no_subscription", "A free workspace has no plan to change.");
    const PlanWish wanted{input->package, input->seats, input->interval, input->selectedServiceIds};
    const auto now = _context.clock().now();
    if (input->prorationDate && (*input->prorationDate > now || *input->prorationDate < now - previewLife))
        throw Problem::invalid("prorationDate", "preview_expired", "Preview the change again");
    if (input->at == ChangeTime::PeriodEnd)
        _changes.changeLater(row, ifMatch, wanted);
    else
    {
        auto key = std::string(request.header("Idempotency-Key"));
        // Without a key, a repeated request on the same version is the same change.
        if (key.empty()) key = std::to_string(row.version) + '\n' + std::string(request.body);
        _changes.change(row, ifMatch, wanted, input->prorationDate, key);
    }
    return shown(row);
}

Reply<SubscriptionView> BillingRoutes::cancel(const Request& request, const Path<std::string>& id, const Body<ChangeInput>& input,
                                              const IfMatch& ifMatch) const
{
    const auto row = requireSubscription(*request.caller, *id);
    requireElevation(*request.caller);
    if (input->at == ChangeTime::Now)
        _changes.cancelNow(row, ifMatch);
    else
        _changes.setCancel(row, ifMatch, true, std::to_string(row.version));
    return shown(row);
}

Reply<SubscriptionView> BillingRoutes::resume(const Request& request, const Path<std::string>& id, const Body<ChangeInput>&,
                                              const IfMatch& ifMatch) const
{
    const auto row = requireSubscription(*request.caller, *id);
    requireElevation(*request.caller);
    _changes.setCancel(row, ifMatch, false, std::to_string(row.version));
    return shown(row);
}

Page<SeatView> BillingRoutes::listSeats(const Caller& caller, const Query<SeatQuery>& query, const Paging& paging) const
{
    const auto row = requireSubscription(caller, query->subscriptionId);
    auto session = _context.database().snapshot();
    const auto found = seats::pageOf(session, row.id.text(), paging);
    Page<SeatView> page;
    for (const auto& seat : found.items) page.items.push_back(viewOfSeat(seat));
    page.nextCursor = found.nextCursor;
    page.total = found.total;
    return page;
}

Created<SeatView> BillingRoutes::assign(const Caller& caller, const Body<SeatInput>& input) const
{
    const auto row = requireSubscription(caller, input->subscriptionId);
    if (row.kind != PlanKind::Paid) throw Problem::conflict("no_subscription", "A free workspace has no seats.");
    const auto assignee = _seats.requireAssignee(row.owner(), input->assignee);
    const auto seat = _context.database().transact(
        [&](Transaction& transaction)
        {
            subscriptions::lockOwner(transaction, row.ownerId);
            const auto last = subscriptions::find(transaction, PlanKind::Paid, row.id.text()).value();
            if (last.standing != SubscriptionStanding::Current) throw Problem::conflict("no_subscription", "The subscription has ended.");
            return seats::assign(transaction, last, assignee, caller.principalId, _context.clock().now());
        });
    return {viewOfSeat(seat)};
}

NoContent BillingRoutes::free(const Caller& caller, const Path<std::string>& id) const
{
    std::optional<Seat> seat;
    {
        auto session = _context.database().session();
        seat = seats::find(session, *id);
    }
    if (!seat) throw Problem::notFound("There is no such seat.");
    const auto row = requireSubscription(caller, seat->subscriptionId);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            subscriptions::lockOwner(transaction, row.ownerId);
            seats::free(transaction, *id);
            _seats.compareWithPurchase(transaction, subscriptions::find(transaction, row.kind, row.id.text()).value());
        });
    return {};
}

Reconciliation BillingRoutes::reconcile(const Request& request, const Body<ReconcileInput>& input) const
{
    if (!isLoopback(request.clientAddress)) throw Problem::forbidden("permission_denied", "Only services on this machine can do this.");
    if (input->ownerId.empty()) return _seats.reconcile({}, input->dryRun);
    const auto owner = ownerOf(input->ownerType, input->ownerId);
    if (!owner.known()) throw Problem::invalid("owner_id", "invalid_owner", "Expected the ID of an owner of that type");
    return _seats.reconcile(owner, input->dryRun);
}

} // namespace portico::launchpad
