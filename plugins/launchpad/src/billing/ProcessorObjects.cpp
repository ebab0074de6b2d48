#include "billing/ProcessorObjects.h"

#include "portico/Text.h"

#include <boost/json.hpp>

#include <limits>

namespace portico::launchpad
{

namespace
{
namespace json = boost::json;

constexpr std::size_t maxObjectDepth = 24;
constexpr std::size_t maxIdBytes = 200;
constexpr std::string_view ourPrefix = "portico_";

std::optional<json::value> parsed(std::string_view text)
{
    json::parse_options options;
    options.max_depth = maxObjectDepth;
    boost::system::error_code failed;
    auto value = json::parse(text, failed, {}, options);
    if (failed || !value.is_object()) return std::nullopt;
    return value;
}

/// The member at a path of names; null if one of them is missing.
const json::value* memberAt(const json::value& value, std::initializer_list<std::string_view> path)
{
    const json::value* found = &value;
    for (const auto name : path)
    {
        if (!found->is_object()) return nullptr;
        found = found->get_object().if_contains(name);
        if (!found) return nullptr;
    }
    return found;
}

/// A text, or the ID of an expanded object in its place. Empty if it is neither, or too long for an ID.
std::string textAt(const json::value& value, std::initializer_list<std::string_view> path)
{
    const auto* found = memberAt(value, path);
    if (found && found->is_object()) found = found->get_object().if_contains("id");
    if (!found || !found->is_string()) return {};
    return std::string(found->get_string());
}

std::string idAt(const json::value& value, std::initializer_list<std::string_view> path)
{
    auto text = textAt(value, path);
    for (const char each : text)
        if (each <= ' ' || each > '~') return {};
    return text.size() <= maxIdBytes ? text : std::string();
}

std::optional<std::int64_t> numberAt(const json::value& value, std::initializer_list<std::string_view> path)
{
    const auto* found = memberAt(value, path);
    if (!found) return std::nullopt;
    if (found->is_int64()) return found->get_int64();
    if (found->is_uint64() && found->get_uint64() <= std::uint64_t(std::numeric_limits<std::int64_t>::max()))
        return static_cast<std::int64_t>(found->get_uint64());
    return std::nullopt;
}

bool boolAt(const json::value& value, std::initializer_list<std::string_view> path)
{
    const auto* found = memberAt(value, path);
    return found && found->is_bool() && found->get_bool();
}

std::string upper(std::string text)
{
    for (auto& each : text)
        if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 'a' + 'A');
    return text;
}

ProcessorMetadata metadataOf(const json::value* value)
{
    ProcessorMetadata metadata;
    if (!value || !value->is_object()) return metadata;
    metadata.package = textAt(*value, {"package"});
    metadata.selectedServiceIds = splitList(textAt(*value, {"selectedServiceIds"}));
    metadata.ownerType = textAt(*value, {"owner_type"});
    metadata.ownerId = textAt(*value, {"owner_id"});
    metadata.checkoutId = textAt(*value, {"checkoutId"});
    metadata.kind = textAt(*value, {"kind"});
    return metadata;
}

/// The first element of a list object (`{"data": […]}`); null if it has none.
const json::value* firstOf(const json::value& value, std::string_view member)
{
    const auto* data = memberAt(value, {member, "data"});
    if (!data || !data->is_array() || data->get_array().empty()) return nullptr;
    return &data->get_array().front();
}

/// The invoice's subscription, in either shape.
std::string subscriptionOfInvoice(const json::value& invoice)
{
    auto id = idAt(invoice, {"subscription"});
    return id.empty() ? idAt(invoice, {"parent", "subscription_details", "subscription"}) : id;
}

std::string subjectOf(const json::value& object, std::string_view objectType)
{
    auto id = idAt(object, {"id"});
    std::string subscription;
    if (objectType == "checkout.session")
        subscription = idAt(object, {"subscription"});
    else if (objectType == "invoice")
        subscription = subscriptionOfInvoice(object);
    return subscription.empty() ? id : subscription;
}
} // namespace

std::optional<ProcessorEvent> readEvent(std::string_view body)
{
    const auto value = parsed(body);
    if (!value) return std::nullopt;
    const auto* object = memberAt(*value, {"data", "object"});
    ProcessorEvent event;
    event.id = idAt(*value, {"id"});
    event.type = idAt(*value, {"type"});
    event.created = numberAt(*value, {"created"}).value_or(0);
    event.livemode = boolAt(*value, {"livemode"});
    if (event.id.empty() || event.type.empty() || event.created < 0 || !object || !object->is_object()) return std::nullopt;
    event.object = json::serialize(*object);
    event.objectType = textAt(*object, {"object"});
    event.subject = subjectOf(*object, event.objectType);
    if (event.subject.empty()) event.subject = event.id;
    return event;
}

std::optional<ProcessorSubscription> readSubscription(std::string_view object)
{
    const auto value = parsed(object);
    if (!value || textAt(*value, {"object"}) != "subscription") return std::nullopt;
    ProcessorSubscription read;
    read.id = idAt(*value, {"id"});
    read.status = idAt(*value, {"status"});
    if (read.id.empty() || read.status.empty()) return std::nullopt;
    read.customer = idAt(*value, {"customer"});
    read.created = numberAt(*value, {"created"}).value_or(0);
    read.livemode = boolAt(*value, {"livemode"});
    read.cancelAtPeriodEnd = boolAt(*value, {"cancel_at_period_end"}) || numberAt(*value, {"cancel_at"}).has_value();
    read.periodStart = numberAt(*value, {"current_period_start"});
    read.periodEnd = numberAt(*value, {"current_period_end"});
    read.currency = upper(textAt(*value, {"currency"}));
    read.metadata = metadataOf(memberAt(*value, {"metadata"}));
    if (const auto* item = firstOf(*value, "items"))
    {
        read.itemId = idAt(*item, {"id"});
        read.quantity = numberAt(*item, {"quantity"}).value_or(0);
        read.unitAmount = numberAt(*item, {"price", "unit_amount"}).value_or(0);
        if (const auto currency = textAt(*item, {"price", "currency"}); !currency.empty()) read.currency = upper(currency);
        read.interval = textAt(*item, {"price", "recurring", "interval"});
        read.lookupKey = textAt(*item, {"price", "lookup_key"});
        // Since 2025-03-31 the period is on the items.
        if (!read.periodStart) read.periodStart = numberAt(*item, {"current_period_start"});
        if (!read.periodEnd) read.periodEnd = numberAt(*item, {"current_period_end"});
    }
    if (read.quantity < 0 || read.unitAmount < 0) return std::nullopt;
    return read;
}

std::optional<ProcessorInvoice> readInvoice(std::string_view object)
{
    const auto value = parsed(object);
    if (!value || textAt(*value, {"object"}) != "invoice") return std::nullopt;
    ProcessorInvoice read;
    read.id = idAt(*value, {"id"});
    read.subscription = subscriptionOfInvoice(*value);
    read.customer = idAt(*value, {"customer"});
    read.livemode = boolAt(*value, {"livemode"});
    read.created = numberAt(*value, {"created"}).value_or(0);
    read.status = textAt(*value, {"status"});
    read.currency = upper(textAt(*value, {"currency"}));
    read.total = numberAt(*value, {"total"}).value_or(0);
    read.amountDue = numberAt(*value, {"amount_due"}).value_or(read.total);
    const auto* metadata = memberAt(*value, {"parent", "subscription_details", "metadata"});
    read.metadata = metadataOf(metadata ? metadata : memberAt(*value, {"subscription_details", "metadata"}));
    const auto* lines = memberAt(*value, {"lines", "data"});
    if (lines && lines->is_array())
        for (const auto& line : lines->get_array())
        {
            // Lines of a proration do not describe the next period.
            if (boolAt(line, {"proration"}) || boolAt(line, {"parent", "subscription_item_details", "proration"})) continue;
            read.quantity = numberAt(line, {"quantity"}).value_or(0);
            read.periodStart = numberAt(line, {"period", "start"});
            read.periodEnd = numberAt(line, {"period", "end"});
            if (const auto amount = numberAt(line, {"amount"}); amount && read.quantity > 0) read.unitAmount = *amount / read.quantity;
        }
    return read;
}

std::optional<ProcessorSession> readSession(std::string_view object)
{
    const auto value = parsed(object);
    if (!value || textAt(*value, {"object"}) != "checkout.session") return std::nullopt;
    ProcessorSession read;
    read.id = idAt(*value, {"id"});
    if (read.id.empty()) return std::nullopt;
    read.url = textAt(*value, {"url"});
    read.status = textAt(*value, {"status"});
    read.paymentStatus = textAt(*value, {"payment_status"});
    read.subscription = idAt(*value, {"subscription"});
    read.customer = idAt(*value, {"customer"});
    read.checkoutId = idAt(*value, {"metadata", "checkoutId"});
    if (read.checkoutId.empty()) read.checkoutId = idAt(*value, {"client_reference_id"});
    read.expiresAt = numberAt(*value, {"expires_at"}).value_or(0);
    return read;
}

PreviewAmounts readPreview(std::string_view invoice)
{
    PreviewAmounts amounts;
    const auto value = parsed(invoice);
    if (!value) return amounts;
    amounts.total = numberAt(*value, {"total"}).value_or(0);
    const auto* lines = memberAt(*value, {"lines", "data"});
    if (lines && lines->is_array())
        for (const auto& line : lines->get_array())
            if (const auto amount = numberAt(line, {"amount"}).value_or(0); amount < 0) amounts.credit -= amount;
    return amounts;
}

std::vector<std::string> readListIds(std::string_view list)
{
    std::vector<std::string> ids;
    const auto value = parsed(list);
    const auto* data = value ? memberAt(*value, {"data"}) : nullptr;
    if (data && data->is_array())
        for (const auto& each : data->get_array())
            if (auto id = idAt(each, {"id"}); !id.empty()) ids.push_back(std::move(id));
    return ids;
}

std::string readText(std::string_view object, std::string_view member)
{
    const auto value = parsed(object);
    return value ? textAt(*value, {member}) : std::string();
}

SubscriptionStatus statusOf(std::string_view processorStatus)
{
    if (processorStatus == "incomplete_expired") return SubscriptionStatus::Canceled;
    return parseEnum<SubscriptionStatus>(processorStatus).value_or(SubscriptionStatus::Incomplete);
}

std::string lookupKeyOf(Package package, BillingInterval interval, std::string_view currency, std::int64_t amount)
{
    return std::string(ourPrefix) + std::string(toString(package)) + '_' + std::string(toString(interval)) + '_' + std::string(currency) +
           '_' + std::to_string(amount);
}

std::optional<Package> packageOfLookupKey(std::string_view lookupKey)
{
    if (!lookupKey.starts_with(ourPrefix)) return std::nullopt;
    lookupKey.remove_prefix(ourPrefix.size());
    return parseEnum<Package>(lookupKey.substr(0, lookupKey.find('_')));
}

std::int64_t rankOf(const ProcessorEvent& event)
{
    if (event.type == "customer.subscription.deleted" || event.type == "invoice.paid") return 2;
    return event.type == "customer.subscription.created" || event.type == "checkout.session.expired" ? 0 : 1;
}

EventStamp stampOf(const ProcessorEvent& event)
{
    const bool ofSubscription = event.objectType == "subscription";
    return {ofSubscription ? 2 : 1, event.created, rankOf(event), event.id};
}

} // namespace portico::launchpad
