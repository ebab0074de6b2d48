#include "checkout/CheckoutRoutes.h"

#include "checkout/Buyer.h"
#include "common/Csv.h"
#include "common/RateLimits.h"

#include "portico/Problem.h"
#include "portico/Select.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
Created<CheckoutAnswer> answerOf(const OpenedCheckout& opened)
{
    const auto& checkout = opened.checkout;
    CheckoutAnswer answer{checkout.id.text(), checkout.status, checkout.checkoutUrl, {}, checkout.expiresAt};
    if (!opened.claimToken.empty()) answer.claimToken = opened.claimToken;
    return {.record = std::move(answer), .existed = opened.existed};
}
} // namespace

CheckoutRoutes::CheckoutRoutes(PluginContext& context, const CheckoutService& service, const HumanChecks& humans,
                               const AdminSessions& sessions)
    : _context(context),
      _service(service),
      _humans(humans),
      _sessions(sessions),
      _perAddress(perHour(context, "checkout", checkoutsPerHour))
{
}

void CheckoutRoutes::declare(Routes& routes)
{
    // A visitor needs no credential; the handlers validate an access token themselves.
    const auto operators = access::bearerOrCookie();
    routes
        .post("/api/public/checkout", access::open(), &CheckoutRoutes::open, this,
              {.summary = "Open a checkout",
               .problems = {"400 bundle_size_mismatch", "400 amount_below_minimum", "400 not_bundle_eligible",
                            "400 enterprise_requires_contact", "403 billing_permission_required", "409 billing_not_configured",
                            "409 active_subscription_exists", "502 processor_unavailable", "502 processor_rejected"},
               .statuses = {201, 200}})
        .post("/api/public/free-workspace", access::open(), &CheckoutRoutes::openFreeWorkspace, this,
              {.summary = "Open the checkout of a free workspace",
               .problems = {"428 human_verification_required", "400 human_verification_failed", "409 challenge_replayed",
                            "403 billing_permission_required", "409 billing_not_configured", "409 free_workspace_exists",
                            "502 processor_unavailable", "502 processor_rejected"},
               .statuses = {201, 200}})
        .get("/api/public/checkout/{checkoutId}", access::open(), &CheckoutRoutes::show, this, {.summary = "Read a checkout"})
        .post("/api/billing/claims", access::bearer().inPerson(), &CheckoutRoutes::claim, this,
              {.summary = "Link a checkout to an owner",
               .problems = {"403 claim_token_invalid", "403 billing_permission_required", "409 already_claimed",
                            "409 active_subscription_exists", "409 free_workspace_exists"}})
        .get("/api/admin/checkouts", operators, &CheckoutRoutes::list, this,
             {.summary = "List checkouts, as an operator or with the admin session"})
        .get("/api/admin/checkouts.csv", operators, &CheckoutRoutes::file, this,
             {.summary = "Export checkouts", .produces = {"text/csv"}, .statuses = {200}})
        .patch("/api/admin/checkouts/{checkoutId}", operators, &CheckoutRoutes::mark, this,
               {.summary = "Mark a checkout of the manual processor as paid or canceled", .problems = {"409 invalid_transition"}});
}

Created<CheckoutAnswer> CheckoutRoutes::open(const Request& request, const Body<CheckoutInput>& input) const
{
    _perAddress.require(networkOf(request.clientAddress));
    const auto buyer = buyerOf(_context, request);
    return answerOf(_service.open(*input, buyer.get(), request.header("Idempotency-Key")));
}

Created<CheckoutAnswer> CheckoutRoutes::openFreeWorkspace(const Request& request, const Body<FreeWorkspaceInput>& input) const
{
    _perAddress.require(networkOf(request.clientAddress));
    const auto buyer = buyerOf(_context, request);
    if (!buyer) _humans.require(request, "free_workspace", input->humanVerification);
    return answerOf(_service.openFreeWorkspace(*input, buyer.get(), request.header("Idempotency-Key")));
}

CheckoutState CheckoutRoutes::show(const Request& request, const Path<std::string>& id, const ClaimToken& claimToken) const
{
    const auto buyer = buyerOf(_context, request);
    const auto token = *claimToken ? std::string_view(**claimToken) : request.header("claim_token");
    auto session = _context.database().snapshot();
    const auto checkout = checkouts::find(session, *id);
    const bool mayRead =
        checkout && ((!token.empty() && CheckoutService::isClaimToken(*checkout, token)) ||
                     (buyer && checkout->owner().known() && mayBill(_context, *buyer, checkout->owner(), OwnerRight::Read)));
    if (!mayRead) throw Problem::notFound("There is no such checkout.");
    CheckoutState state;
    state.status = checkout->status;
    state.kind = checkout->kind;
    if (checkout->kind == PlanKind::Paid) state.package = checkout->package;
    state.seats = checkout->seats;
    state.claimed = checkout->owner().known();
    if (!checkout->processorSubscriptionId.empty())
        if (const auto row = subscriptions::findByProcessorId(session, checkout->processorSubscriptionId))
            state.subscriptionId = row->id.text();
    return state;
}

SubscriptionView CheckoutRoutes::claim(const Caller& caller, const Body<ClaimInput>& input) const
{
    const auto owner = ownerOf(input->ownerType, input->ownerId);
    if (!owner.known()) throw Problem::invalid("owner_id", "invalid_owner", "Expected the ID of an owner of that type");
    const auto [checkout, row] = _service.claim(caller, input->checkoutId, input->claimToken, owner);
    auto session = _context.database().session();
    return row ? viewOf(session, *row) : viewOf(checkout);
}

void CheckoutRoutes::requireOperator(const Request& request) const
{
    if (request.caller->anonymous())
        _sessions.require(request);
    else if (!managesMarketing(*request.caller))
        throw Problem::forbidden("permission_denied", "Only operators of the platform can do this.");
}

Page<Checkout> CheckoutRoutes::list(const Request& request, const Query<CheckoutFilter>& filter, const Paging& paging) const
{
    requireOperator(request);
    auto session = _context.database().session();
    std::vector<std::string> statuses;
    for (const auto status : filter->status) statuses.emplace_back(toString(status));
    if (statuses.empty()) statuses = {"open", "paid", "expired", "canceled"};
    statuses.resize(4);
    return pageOf<Checkout>(session, paging, &Checkout::id,
                            "SELECT " + columns<Checkout>() +
                                " FROM checkout WHERE status IN ($1, $2, $3, $4) AND ($5 = '' OR id < $5) ORDER BY id DESC LIMIT $6",
                            statuses[0], statuses[1], statuses[2], statuses[3]);
}

Response CheckoutRoutes::file(const Request& request) const
{
    requireOperator(request);
    std::string text;
    addCsvRow(text, {"id", "email", "package", "apps", "seats", "amountPerSeat", "currency", "interval", "owner_type", "owner_id",
                     "processor", "status", "createdAt", "paidAt", "claimedAt"});
    const auto timeOf = [](const std::optional<Instant>& time) { return time ? toString(*time) : std::string(); };
    auto session = _context.database().snapshot();
    checkouts::each(session,
                    [&](const Checkout& row)
                    {
                        std::string apps;
                        for (const auto& app : row.selectedServiceIds) apps += (apps.empty() ? "" : " ") + app;
                        addCsvRow(text, {row.id.text(), row.email, row.kind == PlanKind::Paid ? toString(row.package) : toString(row.kind),
                                         apps, std::to_string(row.seats), std::to_string(row.amountPerSeat), row.currency,
                                         toString(row.interval), row.ownerType, row.ownerId, toString(row.processor), toString(row.status),
                                         toString(row.createdAt), timeOf(row.paidAt), timeOf(row.claimedAt)});
                    });
    return csvFile(std::move(text), "checkouts.csv");
}

Checkout CheckoutRoutes::mark(const Request& request, const Path<std::string>& id, const Body<Patch<MarkInput>>& input,
                              const IfMatch& ifMatch) const
{
    requireOperator(request);
    if (!input->has("status")) throw Problem::invalid("status", "required", "Must be present");
    return _service.mark(*id, input->values().status, ifMatch);
}

} // namespace portico::launchpad
