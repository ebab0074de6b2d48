#include "widget/WidgetRoutes.h"

#include "pipelines/Currency.h"
#include "widget/WidgetFigures.h"

#include "portico/Text.h"

#include <chrono>
#include <stdexcept>
#include <string_view>

namespace portico::crm
{

namespace
{

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
    const auto open = figures.openValues.find(figures.currency);
    std::vector<WidgetMetric> metrics{
        metric("contacts", "Contacts", figures.contacts, "/contacts"),
        metric("new_7d", "New in 7 days", figures.newContacts, "/contacts?sort=-createdAt"),
        money("open_value", "Open pipeline value", open == figures.openValues.end() ? 0 : open->second, figures.currency),
        metric("stale", "Stale cards", figures.staleCards, "/pipeline")};
    // Sums of different currencies are not one number.
    for (const auto& [currency, value] : figures.openValues)
        if (currency != figures.currency)
            metrics.push_back(money("open_value_" + fold(currency), "Open pipeline value (" + currency + ")", value, currency));
    return metrics;
}

WidgetItem itemOf(const StaleCard& card, Instant now)
{
    const auto days = std::chrono::duration_cast<std::chrono::hours>(now - card.since).count() / 24;
    WidgetItem item;
    // A contact may be stale on several boards.
    item.id = card.contactId.text() + "." + card.pipelineId.text();
    item.title = card.displayName;
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

WidgetRoutes::WidgetRoutes(PluginContext& context, std::string currency) : _context(context), _currency(std::move(currency))
{
    if (!isCurrency(_currency)) throw std::runtime_error("crm.currency: expected a code of ISO 4217, as EUR, found \"" + _currency + "\"");
}

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("reports:read", "reports.read"), &WidgetRoutes::show, this,
               {.summary = "Read the launchpad widget", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto now = _context.clock().now();
    const auto tenant = caller.tenant();
    auto widget = Widget::answering(*query, caller, "overview", _context.host().serviceId, now);
    auto snapshot = _context.database().snapshot();
    const auto figures = readFigures(snapshot, tenant, _currency, now);
    const WidgetAction create{"new", "New contact", "/contacts/new", "primary", "crm.contacts:write"};

    widget.title = "Contacts and pipeline";
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
    return widget.fit();
}

} // namespace portico::crm
