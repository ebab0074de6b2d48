#include "billing/ProcessorApi.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Url.h"

#include <array>
#include <charconv>
#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto callTimeout = std::chrono::seconds(20);

/// Parses an HTTP date (`Sun, 06 Nov 1994 08:49:37 GMT`) to seconds since 1970; 0 for any other text.
std::int64_t secondsOfDate(std::string_view text)
{
    constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != 29 || !text.ends_with(" GMT")) return 0;
    const auto number = [&](std::size_t from, std::size_t count)
    {
        int value = -1;
        std::from_chars(text.data() + from, text.data() + from + count, value);
        return value;
    };
    unsigned month = 0;
    while (month < months.size() && months[month] != text.substr(8, 3)) ++month;
    const std::chrono::year_month_day day{std::chrono::year(number(12, 4)), std::chrono::month(month + 1),
                                          std::chrono::day(static_cast<unsigned>(number(5, 2)))};
    if (!day.ok() || number(17, 2) < 0 || number(20, 2) < 0 || number(23, 2) < 0) return 0;
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::sys_days(day).time_since_epoch()).count() + number(17, 2) * 3600 +
           number(20, 2) * 60 + number(23, 2);
}

ProcessorAnswer answerOf(const HttpClient::Response& response)
{
    using enum ProcessorAnswer::Outcome;
    ProcessorAnswer answer;
    answer.status = response.status;
    if (const auto* date = response.header("Date")) answer.seconds = secondsOfDate(*date);
    const bool isObject = response.body.starts_with('{') && isJson(response.body);
    if (response.status >= 200 && response.status < 300)
        answer.outcome = isObject ? Done : Unavailable;
    else if (response.status == 404 && isObject)
        answer.outcome = NotFound;
    else
        // 409: another call with the same idempotency key is under way.
        answer.outcome = response.status >= 400 && response.status < 500 && response.status != 429 && response.status != 409 && isObject
                             ? Rejected
                             : Unavailable;
    answer.body = response.body;
    return answer;
}

void addMetadata(FormFields& form, const std::string& prefix, const Checkout& checkout)
{
    std::string services;
    for (const auto& service : checkout.selectedServiceIds) services += (services.empty() ? "" : ",") + service;
    const auto add = [&](std::string_view name, std::string_view value)
    {
        if (!value.empty()) form.emplace_back(prefix + "[" + std::string(name) + "]", value);
    };
    add("package", checkout.kind == PlanKind::Paid ? toString(checkout.package) : toString(PlanKind::FreeWorkspace));
    add("selectedServiceIds", services);
    add("seats", std::to_string(checkout.seats));
    add("owner_type", checkout.ownerType);
    add("owner_id", checkout.ownerId);
    add("checkoutId", checkout.id.text());
    add("kind", toString(checkout.kind));
}
} // namespace

ProcessorAnswer ProcessorApi::get(std::string_view path) const { return send("GET", path, {}, {}); }

ProcessorAnswer ProcessorApi::post(std::string_view path, const FormFields& form, std::string_view idempotencyKey) const
{
    return send("POST", path, form, idempotencyKey);
}

ProcessorAnswer ProcessorApi::send(std::string_view method, std::string_view path, const FormFields& form,
                                   std::string_view idempotencyKey) const
{
    HttpClient::Request request;
    request.method = method;
    request.url = _settings.url + std::string(path);
    request.timeout = callTimeout;
    request.headers = {{"Authorization", "Bearer " + _settings.secretKey},
                       {"Stripe-Version", std::string(processorApiVersion)},
                       {"Accept", "application/json"}};
    if (method == "POST")
    {
        request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        request.headers.emplace_back("Idempotency-Key", idempotencyKey);
        request.body = toQuery(form);
    }
    try
    {
        return answerOf(_context.http().send(request));
    }
    catch (const HttpFailure& failure)
    {
        _context.logger().warning("The payment processor cannot be reached", {{"error", failure.detail()}});
        return {};
    }
}

std::string ProcessorApi::require(const ProcessorAnswer& answer)
{
    using enum ProcessorAnswer::Outcome;
    if (answer.outcome == Done) return answer.body;
    if (answer.outcome == Unavailable)
        throw Problem(502, "processor_unavailable", "The payment processor is not responding. Try again: you will not be charged twice.");
    throw Problem(502, "processor_rejected", "The payment processor rejected the request.");
}

ProcessorAnswer ProcessorApi::subscription(std::string_view id) const { return get("/v1/subscriptions/" + encodeUrl(id)); }

ProcessorAnswer ProcessorApi::cancelNow(std::string_view id) const { return send("DELETE", "/v1/subscriptions/" + encodeUrl(id), {}, {}); }

ProcessorAnswer ProcessorApi::createSession(const Checkout& checkout, std::string_view price, std::string_view customerId) const
{
    FormFields form = {{"mode", "subscription"},
                       {"client_reference_id", checkout.id.text()},
                       {"line_items[0][price]", std::string(price)},
                       {"line_items[0][quantity]", std::to_string(checkout.seats)},
                       {"success_url", checkout.successUrl},
                       {"cancel_url", checkout.cancelUrl},
                       {"expires_at", std::to_string(toMillis(checkout.expiresAt) / 1000)}};
    if (!customerId.empty())
        form.emplace_back("customer", customerId);
    else if (!checkout.email.empty())
        form.emplace_back("customer_email", checkout.email);
    // The processor does not copy the session's metadata to the subscription.
    addMetadata(form, "metadata", checkout);
    addMetadata(form, "subscription_data[metadata]", checkout);
    return post("/v1/checkout/sessions", form, "checkout-" + checkout.id.text());
}

ProcessorAnswer ProcessorApi::expireSession(std::string_view id) const
{
    return post("/v1/checkout/sessions/" + encodeUrl(id) + "/expire", {}, "expire-" + std::string(id));
}

std::string ProcessorApi::priceId(Package package, BillingInterval interval, std::string_view currency, std::int64_t amount,
                                  PlanKind kind) const
{
    const auto ofPackage = lookupKeyOf(package, interval, currency, amount);
    const auto key = kind == PlanKind::Paid ? ofPackage : "portico_free_workspace_" + std::string(currency) + '_' + std::to_string(amount);
    const auto search = "/v1/prices?active=true&limit=1&lookup_keys%5B0%5D=" + encodeUrl(key);
    if (const auto ids = readListIds(require(get(search))); !ids.empty()) return ids.front();
    std::string lower(currency);
    for (auto& each : lower) each = static_cast<char>(each - 'A' + 'a');
    const auto name = kind == PlanKind::Paid ? "Portico " + std::string(toString(package)) : std::string("Portico free workspace");
    const auto made = post("/v1/prices",
                           {{"currency", lower},
                            {"unit_amount", std::to_string(amount)},
                            {"recurring[interval]", std::string(toString(interval))},
                            {"lookup_key", key},
                            {"product_data[name]", name}},
                           "price-" + key);
    // Another checkout may have created the price in the meantime.
    if (made.outcome == ProcessorAnswer::Outcome::Rejected)
        if (const auto ids = readListIds(require(get(search))); !ids.empty()) return ids.front();
    return readText(require(made), "id");
}

} // namespace portico::launchpad
