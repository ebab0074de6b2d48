#include "widget/WidgetRoutes.h"

#include "pipelines/Currency.h"
#include "text/Folding.h"
#include "widget/WidgetFigures.h"

#include <chrono>
#include <stdexcept>
#include <string_view>

namespace portico::crm
{

namespace
{

constexpr std::string_view overview = "overview";

void checkContext(const WidgetQuery& query, std::string_view organizationId)
{
    const bool context = query.context.empty() || query.context == "organization";
    const bool organization = query.organizationId.empty() || query.organizationId == organizationId;
    // An organization has no household.
    if (!context || !organization || !query.householdId.empty())
        throw Problem::forbidden("permission_denied", "This is not the caller's context.");
}

void checkLocale(std::string_view locale)
{
    constexpr std::size_t longest = 35; // RFC 5646, 4.4.1
    constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    if (locale.size() > longest || locale.find_first_not_of(characters) != std::string_view::npos)
        throw Problem::invalid("locale", "invalid_value", "Not a language tag");
}

WidgetMetric metric(std::string id, std::string label, std::int64_t value, std::string href)
{
    WidgetMetric metric;
    metric.id = std::move(id);
    metric.label = std::move(label);
    metric.value = value;
    metric.href = std::move(href);
    return metric;
}

WidgetMetric money(std::string id, std::string label, std::int64_t value, std::string currency)
{
    auto amount = metric(std::move(id), std::move(label), value, "/pipeline");
    amount.format = "currency";
    amount.currency = std::move(currency);
    return amount;
}

std::vector<WidgetMetric> metricsOf(const WidgetFigures& figures)
{
    constexpr std::size_t most = 6; // of the contract
    const auto open = figures.openValues.find(figures.currency);
    std::vector<WidgetMetric> metrics{
        metric("contacts", "Contacts", figures.contacts, "/contacts"),
        metric("new_7d", "New in 7 days", figures.newContacts, "/contacts?sort=-createdAt"),
        money("open_value", "Open pipeline value", open == figures.openValues.end() ? 0 : open->second, figures.currency),
        metric("stale", "Stale cards", figures.staleCards, "/pipeline")};
    // Sums of different currencies are not one number.
    for (const auto& [currency, value] : figures.openValues)
        if (currency != figures.currency && metrics.size() < most)
            metrics.push_back(money("open_value_" + fold(currency), "Open pipeline value (" + currency + ")", value, currency));
    return metrics;
}

/// As many characters as the contract lets a title have.
std::string titleOf(std::string_view text)
{
    constexpr std::size_t longest = 80;
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U && ++characters > longest) return std::string(text.substr(0, i));
    return std::string(text);
}

WidgetItem itemOf(const StaleCard& card, Instant now)
{
    const auto days = std::chrono::duration_cast<std::chrono::hours>(now - card.since).count() / 24;
    WidgetItem item;
    // A contact may be stale on several boards.
    item.id = card.contactId.text() + "." + card.pipelineId.text();
    item.title = titleOf(card.displayName);
    item.subtitle = card.stageName + " \u00b7 " + card.pipelineName;
    item.timestamp = card.since;
    item.status = "warning";
    item.badge = std::to_string(days) + (days == 1 ? " day" : " days");
    item.href = "/contacts/" + card.contactId.text();
    return item;
}

std::string summaryOf(const WidgetFigures& figures)
{
    std::string summary = std::to_string(figures.contacts) + (figures.contacts == 1 ? " contact, " : " contacts, ");
    summary += std::to_string(figures.newContacts) + " new in 7 days";
    if (figures.staleCards > 0) summary += ", " + std::to_string(figures.staleCards) + " waiting for too long";
    return summary;
}

} // namespace

WidgetRoutes::WidgetRoutes(Context& context, const PipelineStore& pipelines, std::string currency)
    : _context(context), _pipelines(pipelines), _currency(std::move(currency))
{
    if (!isCurrency(_currency)) throw std::runtime_error("crm.currency: expected a code of ISO 4217, as EUR, found \"" + _currency + "\"");
}

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("reports:read", "reports.read"), &WidgetRoutes::show, this,
               {.summary = "The service's tile on the launchpad", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto& organization = caller.organizationId();
    checkContext(*query, organization);
    checkLocale(query->locale);
    if (query->widgetId != overview) throw Problem(404, "widget_not_found", "There is no such widget.");

    const auto now = _context.clock().now();
    auto snapshot = _context.database().snapshot();
    const auto figures = readFigures(snapshot, _pipelines, organization, _currency, now);
    const WidgetAction create{"new", "New contact", "/contacts/new", "primary", "crm.contacts:write"};

    Widget widget;
    widget.serviceId = _context.host().serviceId;
    widget.widgetId = overview;
    widget.title = "Contacts and pipeline";
    widget.generatedAt = now;
    widget.context = {"organization", organization};
    widget.metrics = metricsOf(figures);
    for (const auto& card : figures.stalest) widget.items.push_back(itemOf(card, now));
    widget.counts.attention = figures.staleCards;
    widget.summary = summaryOf(figures);
    widget.actions = {create};
    widget.more = WidgetLink{"Open contacts", "/contacts"};
    if (figures.contacts == 0)
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{"No contacts yet", "Add the first contact or import a file.", create};
    }
    return widget;
}

} // namespace portico::crm
