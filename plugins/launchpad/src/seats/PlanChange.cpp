#include "seats/PlanChange.h"

#include "billing/Period.h"
#include "billing/Selection.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto laterJob = "billing-change";
/// The processor creates the invoice of the next period at its begin, so the change is made shortly before.
constexpr auto beforePeriodEnd = std::chrono::hours(1);
/// Maximum wait for another change of the same subscription.
constexpr auto turnPatience = std::chrono::seconds(30);
constexpr auto notMadeTitle = "A scheduled plan change was not made";

struct LaterChange
{
    std::string subscriptionId;
    std::string changeId;
    PlanTerms terms;
};

constexpr auto schemaOf(const LaterChange*)
{
    return describe(members<&LaterChange::subscriptionId, &LaterChange::changeId, &LaterChange::terms>());
}

std::string laterKey(const Subscription& subscription) { return "change:" + subscription.id.text(); }
std::string notMadeKey(const Subscription& subscription) { return "change_not_made:" + subscription.id.text(); }

bool isDropped(Session& session, const std::string& changeId)
{
    return session.value<std::int64_t>("SELECT 1 FROM billing_change WHERE id = $1 AND verb = 'dropped'", changeId).has_value();
}

std::string joined(const std::vector<std::string>& items)
{
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ",") + item;
    return text;
}

std::vector<std::string> minus(std::vector<std::string> all, const std::vector<std::string>& others)
{
    std::erase_if(all, [&](const std::string& each) { return std::ranges::find(others, each) != others.end(); });
    return all;
}
} // namespace

void PlanChange::start()
{
    const auto make = [this](const LaterChange& change)
    {
        std::optional<Subscription> row;
        std::int64_t used = 0;
        {
            auto session = _context.database().session();
            if (isDropped(session, change.changeId)) return;
            row = subscriptions::find(session, PlanKind::Paid, change.subscriptionId);
            if (row) used = seats::countsOf(session, *row).used;
        }
        if (!row || row->standing != SubscriptionStanding::Current) return;
        // There is no next period to change the plan for.
        if (row->cancelAtPeriodEnd) return;
        if (used > change.terms.seats) return reportNotMade(*row, change.terms, used);
        apply(*row, change.terms, {}, change.changeId);
    };
    _context.jobs().handle<LaterChange>(laterJob, [this, make](const LaterChange& change, const Job&)
                                        { inTurn(change.subscriptionId, [&] { make(change); }); });
    _context.jobs().waitsForServers(laterJob);
    _context.jobs().onFailure(
        laterJob,
        [this](const Job& job, std::string_view)
        {
            const auto change = fromStoredJson<LaterChange>(job.payload);
            _context.database().transact(
                [&](Transaction& transaction)
                {
                    const auto row = subscriptions::find(transaction, PlanKind::Paid, change.subscriptionId);
                    if (!row || row->standing != SubscriptionStanding::Current || isDropped(transaction, change.changeId)) return;
                    _effects.report(
                        transaction, row->owner(), ActionKind::PaymentFailed, notMadeTitle,
                        "The payment processor did not make the change. Check the payment method, and request the change again.",
                        notMadeKey(*row));
                });
        });
}

PlanTerms PlanChange::termsOf(const Subscription& subscription) const
{
    return {subscription.package,
            subscription.seats,
            {subscription.amountPerSeat, subscription.currency, std::string(toString(subscription.interval))},
            subscription.amountPerSeat * subscription.seats,
            subscription.currency,
            subscription.interval,
            subscription.selectedServiceIds};
}

PlanTerms PlanChange::wanted(const Subscription& subscription, const PlanWish& request) const
{
    auto terms = termsOf(subscription);
    terms.package = request.package.value_or(terms.package);
    terms.interval = request.interval.value_or(terms.interval);
    terms.seats = request.seats.value_or(terms.seats);
    if (request.selectedServiceIds || terms.package != subscription.package)
        terms.selectedServiceIds =
            selection::requireApps(*_registry.apps(), terms.package, request.selectedServiceIds.value_or(terms.selectedServiceIds));
    const bool samePrice = terms.package == subscription.package && terms.interval == subscription.interval;
    // An amount above the minimum was chosen for the old package.
    if (!samePrice) terms.unitPrice.amount = selection::requireAmount(_prices, terms.package, terms.interval, terms.currency, {});
    terms.unitPrice.interval = toString(terms.interval);
    terms.total = terms.unitPrice.amount * terms.seats;
    return terms;
}

FormFields PlanChange::itemFields(const Subscription& subscription, const PlanTerms& terms, const std::string& prefix) const
{
    const auto item = prefix.empty() ? std::string("items[0]") : prefix + "[items][0]";
    return {{item + "[id]", subscription.itemId},
            {item + "[price]", _api.priceId(terms.package, terms.interval, terms.currency, terms.unitPrice.amount, PlanKind::Paid)},
            {item + "[quantity]", std::to_string(terms.seats)}};
}

PlanPreview PlanChange::preview(const Subscription& subscription, const PlanWish& request) const
{
    const auto now = std::chrono::floor<std::chrono::seconds>(_context.clock().now());
    PlanPreview preview;
    preview.current = termsOf(subscription);
    preview.proposed = wanted(subscription, request);
    preview.proration.at = now;
    const auto before = _effects.appsOf(preview.current.package, preview.current.selectedServiceIds);
    const auto after = _effects.appsOf(preview.proposed.package, preview.proposed.selectedServiceIds);
    preview.appsGained = minus(after, before);
    preview.appsLost = minus(before, after);
    {
        auto session = _context.database().session();
        preview.seatsShort = std::max<std::int64_t>(seats::countsOf(session, subscription).used - preview.proposed.seats, 0);
    }
    const bool newPeriod = preview.proposed.interval != subscription.interval;
    preview.proration.nextInvoiceAt = newPeriod ? endOfPeriod(now, preview.proposed.interval) : subscription.periodEnd;
    preview.proration.nextInvoiceTotal = preview.proposed.total;
    if (subscription.processor == ProcessorKind::Stripe)
    {
        auto form = itemFields(subscription, preview.proposed, "subscription_details");
        form.insert(form.begin(), {{"customer", subscription.customerId}, {"subscription", subscription.processorSubscriptionId}});
        form.emplace_back("subscription_details[proration_behavior]", "always_invoice");
        form.emplace_back("subscription_details[proration_date]", std::to_string(toMillis(now) / 1000));
        // The processor stores nothing, so there is no row to derive the key from.
        const auto body = ProcessorApi::require(_api.post("/v1/invoices/create_preview", form, "preview-" + randomToken()));
        const auto amounts = readPreview(body);
        preview.proration.creditAmount = amounts.credit;
        preview.proration.chargeNow = amounts.total;
        return preview;
    }
    const auto start = subscription.periodStart.value_or(now), end = subscription.periodEnd.value_or(now);
    const auto shares = prorate(preview.current.total, preview.proposed.total, start, end, now);
    preview.proration.creditAmount = shares.credit;
    preview.proration.chargeNow = (newPeriod ? preview.proposed.total : shares.charge) - shares.credit;
    return preview;
}

void PlanChange::requireSeats(const Subscription& subscription, const PlanTerms& terms) const
{
    auto session = _context.database().session();
    if (seats::countsOf(session, subscription).used > terms.seats)
        throw Problem::conflict("seats_in_use", "More seats are assigned than the new plan includes. Unassign seats first.");
}

PlanChange::StoredChange PlanChange::changeRow(const Subscription& subscription, std::string_view verb, std::string_view requestKey) const
{
    const auto key = sha256(subscription.id.text() + '\n' + std::string(verb) + '\n' + std::string(requestKey)).hex();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto now = _context.clock().now();
            transaction.execute(
                "INSERT INTO billing_change (id, subscription_id, verb, request_key, created_at) VALUES ($1, $2, $3, $4, $5) "
                "ON CONFLICT (request_key) DO NOTHING",
                "chg_" + makeUlid(now), subscription.id, verb, key, now);
            auto rows = transaction.query("SELECT id, created_at FROM billing_change WHERE request_key = $1", key);
            const auto row = rows.next();
            return StoredChange{row->get<std::string>(0), row->get<Instant>(1)};
        });
}

void PlanChange::requireDone(const ProcessorAnswer& answer, std::string_view changeId) const
{
    using enum ProcessorAnswer::Outcome;
    // The processor repeats its answer to a write with the same ID. The row of a scheduled change says whether it was dropped.
    if (!changeId.empty() && (answer.outcome == Rejected || answer.outcome == NotFound))
        _context.database().transact(
            [&](Transaction& transaction)
            { transaction.execute("DELETE FROM billing_change WHERE id = $1 AND verb NOT IN ('later', 'dropped')", changeId); });
    if (answer.status == 402) throw Problem(402, "payment_failed", "The payment for the change failed. Update the payment method.");
    ProcessorApi::require(answer);
}

void PlanChange::change(const Subscription& subscription, const IfMatch& ifMatch, const PlanWish& request, std::optional<Instant> at,
                        std::string_view requestKey) const
{
    inTurn(subscription, ifMatch,
           [&](const Subscription& last)
           {
               const auto terms = wanted(last, request);
               requireSeats(last, terms);
               // A retry prorates to the same time, so that it is the same write.
               const auto row = changeRow(last, "change", requestKey);
               apply(last, terms, at.value_or(row.at), row.id);
               _context.database().transact([&](Transaction& transaction) { dropLater(transaction, last); });
           });
}

void PlanChange::changeLater(const Subscription& subscription, const IfMatch& ifMatch, const PlanWish& request) const
{
    inTurn(subscription, ifMatch,
           [&](const Subscription& last)
           {
               const auto terms = wanted(last, request);
               requireSeats(last, terms);
               _context.database().transact([&](Transaction& transaction) { storeLater(transaction, last, terms); });
           });
}

void PlanChange::storeLater(Transaction& transaction, const Subscription& subscription, const PlanTerms& terms) const
{
    dropLater(transaction, subscription);
    const auto now = _context.clock().now();
    const auto due = subscription.periodEnd.value_or(now) - beforePeriodEnd;
    const LaterChange later{subscription.id.text(), "chg_" + makeUlid(now), terms};
    transaction.execute("INSERT INTO billing_change (id, subscription_id, verb, request_key, created_at) VALUES ($1, $2, 'later', $1, $3)",
                        later.changeId, subscription.id, now);
    const auto job = _context.jobs().enqueue(transaction, laterJob, later, {.dedupeKey = laterKey(subscription), .dueAt = due});
    // A dropped change that runs still has the key.
    if (job.empty()) _context.jobs().enqueue(transaction, laterJob, later, {.dueAt = due});
}

void PlanChange::inTurn(const std::string& subscriptionId, const std::function<void()>& work) const
{
    _context.state().withLock("plan-change:" + subscriptionId, turnPatience, work);
}

void PlanChange::inTurn(const Subscription& subscription, const IfMatch& ifMatch,
                        const std::function<void(const Subscription&)>& work) const
{
    inTurn(subscription.id.text(),
           [&]
           {
               std::optional<Subscription> last;
               {
                   auto session = _context.database().session();
                   last = subscriptions::find(session, subscription.kind, subscription.id.text());
               }
               if (!last || last->standing != SubscriptionStanding::Current)
                   throw Problem::conflict("no_subscription", "The subscription has ended.");
               ifMatch.require(last->version);
               work(*last);
           });
}

void PlanChange::dropLater(Transaction& transaction, const Subscription& subscription) const
{
    _context.jobs().cancelByKey(transaction, laterKey(subscription));
    // A job that runs is not canceled: it reads this when it is repeated.
    transaction.execute("UPDATE billing_change SET verb = 'dropped' WHERE subscription_id = $1 AND verb = 'later'", subscription.id);
    _effects.close(transaction, subscription.owner(), notMadeKey(subscription), "A newer request replaces the change.");
}

void PlanChange::reportNotMade(const Subscription& subscription, const PlanTerms& terms, std::int64_t used) const
{
    _context.database().transact(
        [&](Transaction& transaction)
        {
            _effects.report(transaction, subscription.owner(), ActionKind::SeatLimitReached, notMadeTitle,
                            std::to_string(used) + " seats are assigned and the new plan includes " + std::to_string(terms.seats) +
                                ". Unassign seats, and request the change again.",
                            notMadeKey(subscription));
        });
}

void PlanChange::apply(const Subscription& subscription, const PlanTerms& terms, std::optional<Instant> at, std::string_view changeId) const
{
    if (subscription.processor != ProcessorKind::Stripe) return applyManually(subscription, terms);
    auto form = itemFields(subscription, terms, {});
    form.emplace_back("proration_behavior", at ? "always_invoice" : "none");
    if (at) form.emplace_back("proration_date", std::to_string(toMillis(*at) / 1000));
    form.emplace_back("payment_behavior", "error_if_incomplete");
    form.emplace_back("metadata[package]", toString(terms.package));
    form.emplace_back("metadata[selectedServiceIds]", joined(terms.selectedServiceIds));
    form.emplace_back("metadata[seats]", std::to_string(terms.seats));
    requireDone(_api.post("/v1/subscriptions/" + subscription.processorSubscriptionId, form, changeId), changeId);
    // Its events come, too; the answer of this request shows the new state already.
    _sync.refresh(subscription.processorSubscriptionId);
}

void PlanChange::applyManually(const Subscription& subscription, const PlanTerms& terms) const
{
    editRow(subscription,
            [&](Transaction&, Subscription& row)
            {
                const auto now = _context.clock().now();
                if (row.interval != terms.interval)
                {
                    row.periodStart = now;
                    row.periodEnd = endOfPeriod(now, terms.interval);
                }
                row.package = terms.package;
                row.seats = terms.seats;
                row.interval = terms.interval;
                row.amountPerSeat = terms.unitPrice.amount;
                row.selectedServiceIds = terms.selectedServiceIds;
            });
}

void PlanChange::editRow(const Subscription& subscription, const std::function<void(Transaction&, Subscription&)>& edit) const
{
    _context.database().transact(
        [&](Transaction& transaction)
        {
            subscriptions::lockOwner(transaction, subscription.ownerId);
            auto row = subscriptions::find(transaction, subscription.kind, subscription.id.text()).value();
            edit(transaction, row);
            _sync.store(transaction, row, false);
        });
}

void PlanChange::setCancel(const Subscription& subscription, const IfMatch& ifMatch, bool cancel, std::string_view requestKey) const
{
    inTurn(subscription, ifMatch,
           [&](const Subscription& last)
           {
               if (last.processor == ProcessorKind::Stripe)
               {
                   const auto change = changeRow(last, cancel ? "cancel" : "resume", requestKey);
                   requireDone(_api.post("/v1/subscriptions/" + last.processorSubscriptionId,
                                         {{"cancel_at_period_end", cancel ? "true" : "false"}}, change.id),
                               change.id);
                   _sync.refresh(last.processorSubscriptionId);
                   return;
               }
               editRow(last, [&](Transaction&, Subscription& row) { row.cancelAtPeriodEnd = cancel; });
           });
}

void PlanChange::cancelNow(const Subscription& subscription, const IfMatch& ifMatch) const
{
    inTurn(subscription, ifMatch,
           [&](const Subscription& last)
           {
               if (last.processor == ProcessorKind::Stripe)
               {
                   requireDone(_api.cancelNow(last.processorSubscriptionId), {});
                   _context.database().transact([&](Transaction& transaction) { dropLater(transaction, last); });
                   _sync.refresh(last.processorSubscriptionId);
                   return;
               }
               editRow(last,
                       [&](Transaction& transaction, Subscription& row)
                       {
                           row.status = SubscriptionStatus::Canceled;
                           row.processorStatus = toString(row.status);
                           dropLater(transaction, last);
                       });
           });
}

} // namespace portico::launchpad
