#pragma once

#include "billing/Subscription.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Members that Portico wrote on the processor's objects when it created them.
struct ProcessorMetadata
{
    std::string package;
    std::vector<std::string> selectedServiceIds;
    std::string ownerType;
    std::string ownerId;
    std::string checkoutId;
    std::string kind;
};

/// A subscription as the processor describes it, in either of its shapes.
struct ProcessorSubscription
{
    std::string id;
    std::string customer;
    /// Status as the processor names it.
    std::string status;
    /// Seconds since 1970.
    std::int64_t created = 0;
    bool livemode = false;
    bool cancelAtPeriodEnd = false;
    std::optional<std::int64_t> periodStart, periodEnd;
    std::string itemId;
    std::int64_t quantity = 0;
    std::int64_t unitAmount = 0;
    /// Upper case.
    std::string currency;
    std::string interval;
    std::string lookupKey;
    ProcessorMetadata metadata;
};

/// The members of an invoice that concern a subscription.
struct ProcessorInvoice
{
    std::string id;
    std::string subscription;
    std::string customer;
    bool livemode = false;
    std::int64_t created = 0;
    std::int64_t quantity = 0;
    std::int64_t unitAmount = 0;
    std::string currency;
    std::string status;
    std::int64_t total = 0;
    std::int64_t amountDue = 0;
    std::optional<std::int64_t> periodStart, periodEnd;
    ProcessorMetadata metadata;
};

/// A checkout session.
struct ProcessorSession
{
    std::string id;
    std::string url;
    std::string status;
    std::string paymentStatus;
    std::string subscription;
    std::string customer;
    std::string checkoutId;
    std::int64_t expiresAt = 0;
};

/// An event of a webhook. `object` is JSON text.
struct ProcessorEvent
{
    std::string id;
    std::string type;
    std::int64_t created = 0;
    bool livemode = false;
    std::string object;
    std::string objectType;
    /// The subscription that the event is about; else the ID of its object.
    std::string subject;
};

/// Reads an event. Accepts every event that has an ID, a type and an object. Empty for anything else, and for JSON that is too deep.
std::optional<ProcessorEvent> readEvent(std::string_view body);
std::optional<ProcessorSubscription> readSubscription(std::string_view object);
std::optional<ProcessorInvoice> readInvoice(std::string_view object);
std::optional<ProcessorSession> readSession(std::string_view object);
/// Amounts of a previewed invoice.
struct PreviewAmounts
{
    std::int64_t total = 0;
    /// Sum of the negative lines, as a positive amount.
    std::int64_t credit = 0;
};

PreviewAmounts readPreview(std::string_view invoice);
/// IDs of the objects of a list answer, in its order.
std::vector<std::string> readListIds(std::string_view list);
/// Value of one text member of an object; empty if there is none.
std::string readText(std::string_view object, std::string_view member);

/// The status that Portico shows for one of the processor: `incomplete_expired` is canceled. Unknown ones are incomplete.
SubscriptionStatus statusOf(std::string_view processorStatus);
/// Key by which the processor finds a price: package, interval, currency and amount.
std::string lookupKeyOf(Package package, BillingInterval interval, std::string_view currency, std::int64_t amount);
/// Returns the package in a lookup key of Portico.
std::optional<Package> packageOfLookupKey(std::string_view lookupKey);
/// Rank of a type of event within a second: created, updated, deleted.
std::int64_t rankOf(const ProcessorEvent& event);
EventStamp stampOf(const ProcessorEvent& event);

} // namespace portico::launchpad
