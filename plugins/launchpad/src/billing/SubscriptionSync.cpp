#include "billing/SubscriptionSync.h"

#include "billing/EventStore.h"
#include "billing/ObjectRow.h"
#include "common/IdentityEvent.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace portico::launchpad
{

namespace
{
using namespace std::chrono_literals;

constexpr auto eventJob = "billing-events";
constexpr auto refreshJob = "billing-refresh";
constexpr auto surplusJob = "billing-surplus";
constexpr auto endJob = "billing-end";
constexpr auto expireJob = "billing-expire-sessions";
/// After an event was processed without the processor, its state is read later.
constexpr auto refreshDelay = 5min;

struct SubjectPayload
{
    std::string subject;
};

constexpr auto schemaOf(const SubjectPayload*) { return describe(members<&SubjectPayload::subject>()); }

struct PaidPayload
{
    std::string ownerId;
    std::string checkoutId;
};

constexpr auto schemaOf(const PaidPayload*) { return describe(members<&PaidPayload::ownerId, &PaidPayload::checkoutId>()); }

bool isSession(const ProcessorEvent& event)
{
    return event.type == "checkout.session.completed" || event.type == "checkout.session.expired";
}

bool isInvoice(const ProcessorEvent& event) { return event.type == "invoice.paid" || event.type == "invoice.payment_failed"; }

bool isSubscription(const ProcessorEvent& event)
{
    constexpr std::string_view verbs[] = {"created", "updated", "deleted", "paused", "resumed"};
    constexpr std::string_view prefix = "customer.subscription.";
    return event.objectType == "subscription" && event.type.starts_with(prefix) &&
           std::ranges::find(verbs, std::string_view(event.type).substr(prefix.size())) != std::end(verbs);
}

/// Returns whether an event may indicate a changed subscription.
bool concernsSubscription(const ProcessorEvent& event)
{
    if (isSubscription(event)) return true;
    if (isInvoice(event)) return !readInvoice(event.object).value_or(ProcessorInvoice{}).subscription.empty();
    return event.type == "checkout.session.completed" && !readSession(event.object).value_or(ProcessorSession{}).subscription.empty();
}

/// Stamp of a state that was read when these events had been received.
EventStamp stampOfRead(EventStamp best, const std::vector<ProcessorEvent>& events)
{
    for (const auto& event : events)
    {
        auto stamp = stampOf(event);
        if (stamp.kind < 2) stamp = {2, stamp.seconds, -1, stamp.id};
        best = std::max(best, stamp);
    }
    return best;
}

std::optional<Checkout> checkoutOf(Session& session, std::string_view subject, const ProcessorMetadata& metadata)
{
    if (!metadata.checkoutId.empty())
        if (auto found = checkouts::find(session, metadata.checkoutId)) return found;
    return checkouts::findBySubscription(session, subject);
}
} // namespace

void SubscriptionSync::start()
{
    auto& jobs = _context.jobs();
    jobs.handle<SubjectPayload>(eventJob, [this](const SubjectPayload& payload, const Job&) { drain(payload.subject); });
    jobs.handle<SubjectPayload>(surplusJob, [this](const SubjectPayload& payload, const Job&) { cancelSurplus(payload.subject); });
    jobs.handle<PaidPayload>(expireJob,
                             [this](const PaidPayload& payload, const Job&) { expireOthers(payload.ownerId, payload.checkoutId); });
    jobs.handle<SubjectPayload>(refreshJob,
                                [this](const SubjectPayload& payload, const Job&)
                                {
                                    if (!refresh(payload.subject)) throw std::runtime_error("the payment processor does not respond");
                                });
    jobs.handle<SubjectPayload>(endJob, [this](const SubjectPayload& payload, const Job&) { end(payload.subject); });
    for (const auto* type : {eventJob, surplusJob, endJob, expireJob, refreshJob})
    {
        jobs.backOff(type, {1min, 5min, 30min, 2h, 8h, 24h});
        jobs.waitsForServers(type);
        _effects.reportFailures(type);
    }
    _context.events().subscribe("identity.household.changed",
                                [this](const Event& event)
                                {
                                    const auto change = fromStoredJson<IdentityEvent>(event.data);
                                    if (change.change != "household.deleted") return;
                                    _context.database().transact([&](Transaction& transaction)
                                                                 { endAll(_context, transaction, change.id); });
                                });
}

void SubscriptionSync::enqueue(PluginContext& context, Transaction& transaction, const std::string& subject)
{
    // No dedupe key: a running job has read its events already.
    context.jobs().enqueue(transaction, eventJob, SubjectPayload{subject});
}

void SubscriptionSync::endAll(PluginContext& context, Transaction& transaction, std::string_view ownerId)
{
    for (const auto kind : {PlanKind::Paid, PlanKind::FreeWorkspace})
        for (const auto& row : subscriptions::ofOwner(transaction, kind, ownerId))
            if (row.isLive())
                context.jobs().enqueue(transaction, endJob, SubjectPayload{row.processorSubscriptionId},
                                       {.dedupeKey = "end:" + row.processorSubscriptionId});
}

SubscriptionSync::Waiting SubscriptionSync::begin(const std::string& subject) const
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            Waiting waiting;
            waiting.ticket = billing_events::beginRead(transaction, subject);
            waiting.events = billing_events::ofSubject(transaction, subject, true);
            return waiting;
        });
}

std::optional<ReadState> SubscriptionSync::read(const std::string& processorSubscriptionId) const
{
    const auto answer = _api.subscription(processorSubscriptionId);
    if (answer.outcome == ProcessorAnswer::Outcome::Rejected)
        throw std::runtime_error("the payment processor rejected the call with status " + std::to_string(answer.status));
    if (!answer.done()) return std::nullopt;
    auto subscription = readSubscription(answer.body);
    if (!subscription || subscription->id != processorSubscriptionId) return std::nullopt;
    return ReadState{*std::move(subscription), answer.seconds};
}

void SubscriptionSync::drain(const std::string& subject) const
{
    const auto waiting = begin(subject);
    if (waiting.events.empty()) return;
    const bool concerns = std::ranges::any_of(waiting.events, concernsSubscription);
    const auto state = concerns ? read(subject) : std::nullopt;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            apply(transaction, subject, waiting.events, state, waiting.ticket);
            if (concerns && !state)
                _context.jobs().enqueue(transaction, refreshJob, SubjectPayload{subject},
                                        {.delay = refreshDelay, .dedupeKey = "refresh:" + subject});
        });
}

bool SubscriptionSync::refresh(const std::string& processorSubscriptionId) const
{
    const auto waiting = begin(processorSubscriptionId);
    const auto state = read(processorSubscriptionId);
    if (!state) return false;
    _context.database().transact([&](Transaction& transaction)
                                 { apply(transaction, processorSubscriptionId, waiting.events, state, waiting.ticket); });
    return true;
}

void SubscriptionSync::apply(Transaction& transaction, const std::string& subject, const std::vector<ProcessorEvent>& events,
                             const std::optional<ReadState>& state, std::int64_t ticket) const
{
    // A later read has seen these events, too.
    if (!billing_events::endRead(transaction, subject, ticket)) return;
    applySessions(transaction, events);
    if (state || std::ranges::any_of(events, concernsSubscription)) applySubscription(transaction, subject, events, state);
    billing_events::markProcessed(transaction, events);
}

void SubscriptionSync::applySessions(Transaction& transaction, const std::vector<ProcessorEvent>& events) const
{
    const auto now = _context.clock().now();
    for (const auto& event : events)
    {
        const auto session = isSession(event) ? readSession(event.object) : std::nullopt;
        if (!session) continue;
        auto checkout = checkouts::find(transaction, session->checkoutId);
        if (!checkout) checkout = checkouts::findBySession(transaction, session->id);
        if (!checkout || checkout->status == CheckoutStatus::Paid) continue;
        if (event.type == "checkout.session.expired")
        {
            if (checkout->status != CheckoutStatus::Open) continue;
            checkout->status = CheckoutStatus::Expired;
        }
        else
        {
            if (session->paymentStatus == "unpaid") continue;
            checkout->status = CheckoutStatus::Paid;
            checkout->paidAt = Instant(std::chrono::seconds(event.created));
            checkout->processorSubscriptionId = session->subscription;
            if (checkout->owner().known())
                _context.jobs().enqueue(transaction, expireJob, PaidPayload{checkout->ownerId, checkout->id.text()});
        }
        checkouts::update(transaction, *checkout, now);
    }
}

void SubscriptionSync::applySubscription(Transaction& transaction, const std::string& subject, const std::vector<ProcessorEvent>& events,
                                         const std::optional<ReadState>& state) const
{
    auto row = subscriptions::findByProcessorId(transaction, subject).value_or(Subscription{});
    auto best = row.stamp();
    std::optional<ProcessorSubscription> object;
    std::optional<ProcessorInvoice> invoice;
    if (state)
    {
        object = state->subscription;
        best = stampOfRead(best, events);
        row.readSeconds = std::max(row.readSeconds, state->seconds);
    }
    else
        for (const auto& event : events)
        {
            const auto stamp = stampOf(event);
            if (!(stamp > best) || event.created < row.readSeconds) continue;
            if (isSubscription(event))
                object = readSubscription(event.object);
            else if (event.type == "invoice.paid" && best.kind < 2)
                invoice = readInvoice(event.object);
            else
                continue;
            best = stamp;
        }
    if (!object && !invoice && row.id.empty()) return;
    const auto metadata = object ? object->metadata : invoice ? invoice->metadata : ProcessorMetadata{{}, {}, {}, {}, row.checkoutId, {}};
    auto checkout = checkoutOf(transaction, subject, metadata);

    auto owner = row.owner();
    if (!owner.known()) owner = ownerOf(metadata.ownerType, metadata.ownerId);
    if (!owner.known() && checkout) owner = checkout->owner();
    subscriptions::lockOwner(transaction, owner.id);
    // Another transaction may have written the row before the lock.
    const auto known = subscriptions::findByProcessorId(transaction, subject);
    if ((known ? known->version : 0) != (row.id.empty() ? 0 : row.version))
        throw DatabaseError(DatabaseError::Kind::Serialization, "40001", {}, "the subscription was changed by another writer");

    const auto before = toJson(row);
    if (object)
        applyObject(row, *object, checkout);
    else if (invoice)
        applyInvoice(row, *invoice, checkout);
    row.ownerType = owner.type;
    row.ownerId = owner.id;
    row.setStamp(best);
    row.processorVersion = best.seconds;
    const auto all = billing_events::ofSubject(transaction, subject, false);
    if (row.status == SubscriptionStatus::PastDue)
    {
        if (const auto since = pastDueSince(all)) row.pastDueSince = since;
        if (!row.pastDueSince) row.pastDueSince = _context.clock().now();
    }
    else
        row.pastDueSince.reset();
    const bool failedBefore = row.paymentFailing;
    row.paymentFailing = row.isLive() && lastPaymentFailed(all);
    const auto now = _context.clock().now();
    if (checkout && row.isLive() && checkout->status != CheckoutStatus::Paid)
    {
        checkout->status = CheckoutStatus::Paid;
        checkout->paidAt = now;
        checkout->processorSubscriptionId = subject;
        checkouts::update(transaction, *checkout, now);
    }
    if (toJson(row) == before) return;
    store(transaction, row, failedBefore != row.paymentFailing);
}

void SubscriptionSync::store(Transaction& transaction, Subscription& row, bool paymentChanged) const
{
    const auto now = _context.clock().now();
    // The election below makes it current; before that another row may be.
    if (row.standing == SubscriptionStanding::Current && !row.isLive()) row.standing = SubscriptionStanding::Ended;
    subscriptions::save(transaction, row, now);
    for (const auto& surplus : subscriptions::elect(transaction, row.kind, row.ownerId, now))
        _context.jobs().enqueue(transaction, surplusJob, SubjectPayload{surplus.processorSubscriptionId});
    row = subscriptions::find(transaction, row.kind, row.id.text()).value();
    if (paymentChanged) _effects.paymentChanged(transaction, row);
    _effects.changed(transaction, row);
    if (written) written(transaction, row);
}

std::optional<Subscription> SubscriptionSync::look(const std::string& processorSubscriptionId) const
{
    auto session = _context.database().session();
    return subscriptions::findByProcessorId(session, processorSubscriptionId);
}

void SubscriptionSync::cancelNow(const Subscription& subscription) const
{
    const auto& id = subscription.processorSubscriptionId;
    if (subscription.processor == ProcessorKind::Stripe)
    {
        const auto answer = _api.cancelNow(id);
        if (answer.outcome == ProcessorAnswer::Outcome::Unavailable || !refresh(id))
            throw std::runtime_error("the payment processor does not respond");
        return;
    }
    _context.database().transact(
        [&](Transaction& transaction)
        {
            subscriptions::lockOwner(transaction, subscription.ownerId);
            auto last = subscriptions::findByProcessorId(transaction, id).value();
            last.status = SubscriptionStatus::Canceled;
            store(transaction, last, false);
        });
}

void SubscriptionSync::end(const std::string& processorSubscriptionId) const
{
    const auto row = look(processorSubscriptionId);
    if (!row || !row->isLive()) return;
    cancelNow(*row);
    if (look(processorSubscriptionId).value().isLive()) throw std::runtime_error("the payment processor did not cancel the subscription");
}

void SubscriptionSync::cancelSurplus(const std::string& processorSubscriptionId) const
{
    auto row = look(processorSubscriptionId);
    if (!row || row->standing != SubscriptionStanding::Surplus) return;
    if (row->processor == ProcessorKind::Stripe)
    {
        // The current one may have ended at the processor, and its event may be on its way.
        std::string current;
        {
            auto session = _context.database().session();
            if (const auto found = subscriptions::current(session, row->kind, row->ownerId)) current = found->processorSubscriptionId;
        }
        if (!current.empty() && !refresh(current)) throw std::runtime_error("the payment processor does not respond");
        row = look(processorSubscriptionId);
        if (!row || row->standing != SubscriptionStanding::Surplus) return;
    }
    cancelNow(*row);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            _effects.report(transaction, row->owner(), ActionKind::SecurityAlert, "A second subscription was canceled",
                            "Two checkouts were paid. The first subscription continues. Check whether the second payment must be refunded.",
                            "surplus:" + row->id.text());
        });
}

void SubscriptionSync::expireOthers(const std::string& ownerId, const std::string& paidCheckoutId) const
{
    std::vector<Checkout> open;
    {
        auto session = _context.database().session();
        open = checkouts::openOf(session, ownerId);
        const auto paid = checkouts::find(session, paidCheckoutId);
        std::erase_if(open, [&](const Checkout& each) { return !paid || each.kind != paid->kind || each.id == paid->id; });
    }
    for (const auto& checkout : open)
    {
        if (checkout.processor == ProcessorKind::Stripe && !checkout.processorSessionId.empty())
        {
            const auto answer = _api.expireSession(checkout.processorSessionId);
            if (answer.outcome == ProcessorAnswer::Outcome::Unavailable) throw std::runtime_error("the payment processor does not respond");
            // A session that was paid in the meantime stays as it is.
            if (!answer.done()) continue;
        }
        _context.database().transact(
            [&](Transaction& transaction)
            {
                auto row = checkouts::find(transaction, checkout.id.text());
                if (!row || row->status != CheckoutStatus::Open) return;
                row->status = CheckoutStatus::Expired;
                checkouts::update(transaction, *row, _context.clock().now());
            });
    }
}

} // namespace portico::launchpad
