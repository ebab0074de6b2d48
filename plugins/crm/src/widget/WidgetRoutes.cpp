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

/// Texts of the tile of the launchpad. Those that end with `Part` come behind a number.
struct TileWords
{
    const char* title;
    const char* open;
    const char* create;
    const char* contacts;
    const char* recent;
    const char* openValue;
    const char* stale;
    const char* dayPart;
    const char* daysPart;
    const char* contactPart;
    const char* contactsPart;
    const char* recentPart;
    const char* stalePart;
    const char* nothing;
    const char* nothingText;
};

constexpr TileWords englishTile{.title = "Contacts and pipeline",
                                .open = "Open contacts",
                                .create = "New contact",
                                .contacts = "Contacts",
                                .recent = "New in 7 days",
                                .openValue = "Open pipeline value",
                                .stale = "Stale cards",
                                .dayPart = " day",
                                .daysPart = " days",
                                .contactPart = " contact",
                                .contactsPart = " contacts",
                                .recentPart = " new in 7 days",
                                .stalePart = " waiting for too long",
                                .nothing = "No contacts yet",
                                .nothingText = "Add the first contact or import a file."};
constexpr TileWords germanTile{.title = "Kontakte und Pipeline",
                               .open = "Kontakte öffnen",
                               .create = "Neuer Kontakt",
                               .contacts = "Kontakte",
                               .recent = "Neu in 7 Tagen",
                               .openValue = "Offener Pipeline-Wert",
                               .stale = "Karten ohne Bewegung",
                               .dayPart = " Tag",
                               .daysPart = " Tage",
                               .contactPart = " Kontakt",
                               .contactsPart = " Kontakte",
                               .recentPart = " neu in 7 Tagen",
                               .stalePart = " zu lange ohne Bewegung",
                               .nothing = "Noch keine Kontakte",
                               .nothingText = "Erstellen Sie den ersten Kontakt, oder importieren Sie eine Datei."};

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

std::vector<WidgetMetric> metricsOf(const WidgetFigures& figures, const TileWords& words)
{
    const auto open = figures.openValues.find(figures.currency);
    std::vector<WidgetMetric> metrics{
        metric("contacts", words.contacts, figures.contacts, "/contacts"),
        metric("new_7d", words.recent, figures.newContacts, "/contacts?sort=-createdAt"),
        money("open_value", words.openValue, open == figures.openValues.end() ? 0 : open->second, figures.currency),
        metric("stale", words.stale, figures.staleCards, "/pipeline")};
    // Sums of different currencies are not one number.
    for (const auto& [currency, value] : figures.openValues)
        if (currency != figures.currency)
            metrics.push_back(money("open_value_" + fold(currency), std::string(words.openValue) + " (" + currency + ")", value, currency));
    return metrics;
}

WidgetItem itemOf(const StaleCard& card, const TileWords& words, Instant now)
{
    const auto days = std::chrono::duration_cast<std::chrono::hours>(now - card.since).count() / 24;
    WidgetItem item;
    // A contact may be stale on several boards.
    item.id = card.contactId.text() + "." + card.pipelineId.text();
    item.title = card.displayName;
    item.subtitle = card.stageName + " \u00b7 " + card.pipelineName;
    item.timestamp = card.since;
    item.status = "warning";
    item.badge = std::to_string(days) + (days == 1 ? words.dayPart : words.daysPart);
    item.href = "/contacts/" + card.contactId.text();
    return item;
}

std::string summaryOf(const WidgetFigures& figures, const TileWords& words)
{
    std::string summary = std::to_string(figures.contacts) + (figures.contacts == 1 ? words.contactPart : words.contactsPart);
    summary += ", " + std::to_string(figures.newContacts) + words.recentPart;
    if (figures.staleCards > 0) summary += ", " + std::to_string(figures.staleCards) + words.stalePart;
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
    const auto& words = query->locale.starts_with("de") ? germanTile : englishTile;
    const WidgetAction create{"new", words.create, "/contacts/new", "primary", "crm.contacts:write"};

    widget.title = words.title;
    widget.metrics = metricsOf(figures, words);
    for (const auto& card : figures.stalest) widget.items.push_back(itemOf(card, words, now));
    widget.counts.attention = figures.staleCards;
    widget.summary = summaryOf(figures, words);
    widget.actions = {create};
    widget.more = WidgetLink{words.open, "/contacts"};
    if (figures.contacts == 0)
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{words.nothing, words.nothingText, create};
    }
    return widget.fit();
}

} // namespace portico::crm
