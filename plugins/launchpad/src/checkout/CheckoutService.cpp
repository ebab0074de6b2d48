#include "checkout/CheckoutService.h"

#include "billing/Period.h"
#include "billing/Selection.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/interfaces/Directory.h"

#include <chrono>
#include <stdexcept>

namespace portico::launchpad
{

namespace
{
using namespace std::chrono_literals;

/// The processor accepts sessions of at most a day.
constexpr auto checkoutLife = 23h;
constexpr auto unclaimedAfter = 24h;
constexpr auto tickInterval = 10min;
constexpr auto tickJob = "billing-clock";
constexpr auto tagJob = "billing-tag";
constexpr std::int64_t rowsAtOnce = 200;

struct CheckoutPayload
{
    std::string checkoutId;
};

constexpr auto schemaOf(const CheckoutPayload*) { return describe(members<&CheckoutPayload::checkoutId>()); }

std::string unclaimedKey(const std::string& checkoutId) { return "subscription_unclaimed:" + checkoutId; }
} // namespace

void CheckoutService::start()
{
    auto& jobs = _context.jobs();
    jobs.handle(tickJob, [this](const Job&) { tick(); });
    jobs.handle<CheckoutPayload>(tagJob, [this](const CheckoutPayload& payload, const Job&) { tagProcessor(payload.checkoutId); });
    jobs.backOff(tagJob, {1min, 5min, 30min, 2h, 8h, 24h});
    jobs.waitsForServers(tagJob);
    _effects.reportFailures(tagJob);
    if (_settings.sells()) jobs.every(tickJob, tickInterval);
}

Owner CheckoutService::ownerFor(const Caller* buyer, const std::string& type, const std::string& id) const
{
    if (!buyer)
    {
        if (!type.empty() || !id.empty())
            throw Problem::forbidden("billing_permission_required", "Sign in to buy for an owner, or leave out owner_type and owner_id.");
        return {};
    }
    if (type.empty() != id.empty())
        throw Problem::invalid(type.empty() ? "owner_type" : "owner_id", "required", "Set both owner_type and owner_id, or neither");
    const auto owner = id.empty() ? activeOwner(*buyer) : ownerOf(type, id);
    if (!owner.known()) throw Problem::invalid("owner_id", "invalid_owner", "Expected the ID of an owner of that type");
    requireBilling(_context, *buyer, owner, OwnerRight::Manage);
    return owner;
}

std::string CheckoutService::returnUrl(const std::string& wanted, std::string_view field, std::string_view path) const
{
    const auto& origin = _context.host().origin;
    if (wanted.empty()) return origin + std::string(path);
    const bool ownPath = wanted.starts_with('/') && !wanted.starts_with("//") && wanted.find('\\') == std::string::npos;
    if (ownPath) return origin + wanted;
    if (wanted.starts_with(origin + '/') && wanted.find('\\') == std::string::npos) return wanted;
    throw Problem::invalid(field, "foreign_url", "Expected a path or a URL of this service");
}

void CheckoutService::requireNoSubscription(Session& session, PlanKind kind, const Owner& owner) const
{
    if (!subscriptions::current(session, kind, owner.id)) return;
    if (kind == PlanKind::FreeWorkspace) throw Problem::conflict("free_workspace_exists", "The owner has a free workspace already.");
    throw Problem::conflict("active_subscription_exists", "The owner has a subscription. Change its plan instead.");
}

OpenedCheckout CheckoutService::open(const CheckoutInput& input, const Caller* buyer, std::string_view requestKey) const
{
    if (!_settings.sells())
        throw Problem::conflict("billing_not_configured", "Billing is not set up on this server: every app is included.");
    Checkout wanted;
    wanted.kind = PlanKind::Paid;
    wanted.package = input.package;
    wanted.selectedServiceIds = selection::requireApps(*_registry.apps(), input.package, input.selectedServiceIds);
    wanted.seats = input.seats;
    wanted.interval = input.interval;
    wanted.amountPerSeat = selection::requireAmount(_prices, input.package, input.interval, input.currency, input.amountPerSeat);
    wanted.currency = input.currency;
    wanted.email = input.email;
    const auto owner = ownerFor(buyer, input.ownerType, input.ownerId);
    wanted.ownerType = owner.type;
    wanted.ownerId = owner.id;
    wanted.successUrl = returnUrl(input.successUrl, "successUrl", owner.known() ? "/settings/billing" : "/pricing");
    wanted.cancelUrl = returnUrl(input.cancelUrl, "cancelUrl", owner.known() ? "/settings/billing" : "/pricing");
    return begin(std::move(wanted), buyer, requestKey);
}

OpenedCheckout CheckoutService::openFreeWorkspace(const FreeWorkspaceInput& input, const Caller* buyer, std::string_view requestKey) const
{
    if (!_settings.sells())
        throw Problem::conflict("billing_not_configured", "Billing is not set up on this server: every app is included.");
    Checkout wanted;
    wanted.kind = PlanKind::FreeWorkspace;
    wanted.interval = freeWorkspaceInterval;
    wanted.amountPerSeat = freeWorkspaceAmount;
    wanted.currency = freeWorkspaceCurrency;
    wanted.email = input.email;
    wanted.workspaceName = input.workspaceName;
    const auto owner = ownerFor(buyer, input.ownerType, input.ownerId);
    wanted.ownerType = owner.type;
    wanted.ownerId = owner.id;
    wanted.successUrl = wanted.cancelUrl = returnUrl({}, {}, owner.known() ? "/settings/billing" : "/pricing");
    return begin(std::move(wanted), buyer, requestKey);
}

OpenedCheckout CheckoutService::begin(Checkout wanted, const Caller* buyer, std::string_view requestKey) const
{
    const auto now = _context.clock().now();
    wanted.processor = _settings.processor;
    wanted.createdBy = buyer ? buyer->principalId : std::string();
    // A repeated request of a signed-in buyer yields the same checkout, also without a key. Visitors are identified only by the key.
    const auto content = toJson(wanted) + wanted.successUrl + '\n' + wanted.cancelUrl;
    if (requestKey.empty() && !buyer)
        wanted.requestKey = randomToken();
    else
        wanted.requestKey = sha256(std::string(requestKey) + '\n' + wanted.createdBy + '\n' + content).hex();
    wanted.expiresAt = now + checkoutLife;
    wanted.createdAt = wanted.updatedAt = now;
    const auto token = wanted.ownerId.empty() ? randomToken() : std::string();
    if (!token.empty()) wanted.claimTokenHash = sha256(token).hex();

    OpenedCheckout opened;
    opened.claimToken = token;
    opened.checkout = _context.database().transact(
        [&](Transaction& transaction)
        {
            subscriptions::lockOwner(transaction, wanted.ownerId);
            requireNoSubscription(transaction, wanted.kind, wanted.owner());
            if (auto known = checkouts::findOpenByRequest(transaction, wanted.requestKey))
            {
                if (known->expiresAt > now)
                {
                    opened.existed = true;
                    // Only the hash is stored, so a repeated request gets a new token.
                    known->claimTokenHash = wanted.claimTokenHash;
                    checkouts::update(transaction, *known, now);
                    return *known;
                }
                known->status = CheckoutStatus::Expired;
                checkouts::update(transaction, *known, now);
            }
            auto row = wanted;
            row.id = CheckoutId::make(now);
            checkouts::insert(transaction, row);
            return row;
        });
    if (opened.checkout.checkoutUrl.empty()) openSession(opened.checkout);
    return opened;
}

std::string CheckoutService::customerOf(const Owner& owner) const
{
    if (!owner.known()) return {};
    auto session = _context.database().session();
    for (const auto kind : {PlanKind::Paid, PlanKind::FreeWorkspace})
        for (const auto& each : subscriptions::ofOwner(session, kind, owner.id))
            if (each.processor == _settings.processor && !each.customerId.empty()) return each.customerId;
    return {};
}

void CheckoutService::openSession(Checkout& checkout) const
{
    std::string sessionId, url;
    if (checkout.processor == ProcessorKind::Stripe)
    {
        const auto price = _api.priceId(checkout.package, checkout.interval, checkout.currency, checkout.amountPerSeat, checkout.kind);
        const auto answer = _api.createSession(checkout, price, customerOf(checkout.owner()));
        if (answer.outcome == ProcessorAnswer::Outcome::Rejected || answer.outcome == ProcessorAnswer::Outcome::NotFound)
            _context.database().transact(
                [&](Transaction& transaction)
                {
                    auto row = checkouts::find(transaction, checkout.id.text()).value();
                    row.status = CheckoutStatus::Canceled;
                    checkouts::update(transaction, row, _context.clock().now());
                });
        const auto session = readSession(ProcessorApi::require(answer));
        if (!session || session->url.empty()) throw Problem(502, "processor_unavailable", "The payment processor returned no session.");
        sessionId = session->id;
        url = session->url;
    }
    else
    {
        sessionId = "manual_" + checkout.id.text();
        url = checkout.successUrl + (checkout.successUrl.find('?') == std::string::npos ? "?checkout=" : "&checkout=") + checkout.id.text();
    }
    checkout = _context.database().transact(
        [&](Transaction& transaction)
        {
            auto row = checkouts::find(transaction, checkout.id.text()).value();
            row.processorSessionId = sessionId;
            row.checkoutUrl = url;
            checkouts::update(transaction, row, _context.clock().now());
            return row;
        });
}

bool CheckoutService::isClaimToken(const Checkout& checkout, std::string_view token)
{
    return !checkout.claimTokenHash.empty() && sameSecret(checkout.claimTokenHash, sha256(token).hex());
}

std::pair<Checkout, std::optional<Subscription>> CheckoutService::claim(const Caller& caller, std::string_view checkoutId,
                                                                        std::string_view token, const Owner& owner) const
{
    {
        auto session = _context.database().session();
        const auto known = checkouts::find(session, checkoutId);
        if (!known || !isClaimToken(*known, token))
            throw Problem::forbidden("claim_token_invalid", "The checkout ID or its claim token is invalid.");
    }
    requireBilling(_context, caller, owner, OwnerRight::Manage);
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction) -> std::pair<Checkout, std::optional<Subscription>>
        {
            subscriptions::lockOwner(transaction, owner.id);
            auto checkout = checkouts::find(transaction, checkoutId).value();
            auto row = checkout.processorSubscriptionId.empty()
                           ? std::optional<Subscription>()
                           : subscriptions::findByProcessorId(transaction, checkout.processorSubscriptionId);
            if (checkout.owner().known())
            {
                if (checkout.owner() != owner) throw Problem::conflict("already_claimed", "The checkout was claimed for another owner.");
                return {checkout, row};
            }
            requireNoSubscription(transaction, checkout.kind, owner);
            checkout.ownerType = owner.type;
            checkout.ownerId = owner.id;
            checkout.claimedAt = now;
            checkouts::update(transaction, checkout, now);
            if (row)
            {
                row->ownerType = owner.type;
                row->ownerId = owner.id;
                _sync.store(transaction, *row, row->paymentFailing);
            }
            if (checkout.processor == ProcessorKind::Stripe)
                _context.jobs().enqueue(transaction, tagJob, CheckoutPayload{checkout.id.text()});
            _effects.closeOperators(transaction, unclaimedKey(checkout.id.text()), "The checkout was claimed.");
            return {checkout, row};
        });
}

void CheckoutService::tagProcessor(const std::string& checkoutId) const
{
    std::optional<Checkout> checkout;
    {
        auto session = _context.database().session();
        checkout = checkouts::find(session, checkoutId);
    }
    if (!checkout || checkout->processorSubscriptionId.empty()) return;
    const auto answer =
        _api.post("/v1/subscriptions/" + checkout->processorSubscriptionId,
                  {{"metadata[owner_type]", checkout->ownerType}, {"metadata[owner_id]", checkout->ownerId}}, "claim-" + checkoutId);
    if (answer.outcome == ProcessorAnswer::Outcome::Unavailable) throw std::runtime_error("the payment processor does not respond");
}

void CheckoutService::subscribeManually(Transaction& transaction, const Checkout& checkout) const
{
    const auto now = _context.clock().now();
    Subscription row;
    static_cast<PlanChoice&>(row) = checkout;
    row.status = SubscriptionStatus::Active;
    row.processor = ProcessorKind::Manual;
    row.processorSubscriptionId = checkout.processorSubscriptionId;
    row.processorStatus = toString(SubscriptionStatus::Active);
    row.startedAt = toMillis(now) / 1000;
    row.periodStart = now;
    row.periodEnd = endOfPeriod(now, checkout.interval);
    row.livemode = true;
    row.checkoutId = checkout.id.text();
    _sync.store(transaction, row, false);
}

Checkout CheckoutService::mark(std::string_view checkoutId, CheckoutStatus status, const IfMatch& ifMatch) const
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            auto checkout = checkouts::find(transaction, checkoutId);
            if (!checkout) throw Problem::notFound();
            subscriptions::lockOwner(transaction, checkout->ownerId);
            ifMatch.require(checkout->version);
            const bool possible = isMarkable(*checkout) && (status == CheckoutStatus::Paid || status == CheckoutStatus::Canceled);
            if (!possible)
                throw Problem::conflict("invalid_transition",
                                        "Only open checkouts of the manual processor can be marked as paid or canceled.");
            checkout->status = status;
            if (status == CheckoutStatus::Paid)
            {
                checkout->paidAt = _context.clock().now();
                checkout->processorSubscriptionId = "manual_" + checkout->id.text();
            }
            checkouts::update(transaction, *checkout, _context.clock().now());
            if (status == CheckoutStatus::Paid) subscribeManually(transaction, *checkout);
            return *checkout;
        });
}

void CheckoutService::tick() const
{
    const auto now = _context.clock().now();
    std::vector<std::string> unclaimed, over;
    std::vector<std::string> due;
    {
        auto session = _context.database().session();
        unclaimed =
            session.values<std::string>("SELECT id FROM checkout WHERE status = 'paid' AND owner_id = '' AND NOT unclaimed_reported "
                                        "AND paid_at <= $1 ORDER BY id LIMIT $2",
                                        now - unclaimedAfter, rowsAtOnce);
        over = session.values<std::string>("SELECT id FROM checkout WHERE status = 'open' AND expires_at <= $1 ORDER BY id LIMIT $2",
                                           now - unclaimedAfter, rowsAtOnce);
        due = subscriptions::manualPeriodsOver(session, now, rowsAtOnce);
    }
    for (const auto& id : unclaimed)
        _context.database().transact(
            [&](Transaction& transaction)
            {
                auto checkout = checkouts::find(transaction, id).value();
                if (checkout.owner().known()) return;
                checkout.unclaimedReported = true;
                checkouts::update(transaction, checkout, now);
                _effects.report(transaction, {}, ActionKind::SubscriptionUnclaimed, "A paid checkout has no owner",
                                "The buyer " + checkout.email + " paid more than a day ago and has not claimed the subscription.",
                                unclaimedKey(id));
            });
    for (const auto& id : over)
        _context.database().transact(
            [&](Transaction& transaction)
            {
                auto checkout = checkouts::find(transaction, id).value();
                if (checkout.status != CheckoutStatus::Open) return;
                checkout.status = CheckoutStatus::Expired;
                checkouts::update(transaction, checkout, now);
            });
    for (const auto& id : due)
        _context.database().transact(
            [&](Transaction& transaction)
            {
                auto row = subscriptions::findByProcessorId(transaction, id).value();
                subscriptions::lockOwner(transaction, row.ownerId);
                if (row.cancelAtPeriodEnd)
                    row.status = SubscriptionStatus::Canceled;
                else
                    renew(row, now);
                _sync.store(transaction, row, false);
            });
}

} // namespace portico::launchpad
