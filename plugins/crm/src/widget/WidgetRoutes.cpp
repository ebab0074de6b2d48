#include "widget/WidgetRoutes.h"

#include "pipelines/Currency.h"

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

struct Figures
{
    std::int64_t contacts = 0;
    std::int64_t newContacts = 0;
};

Figures readFigures(Session& session, std::string_view organizationId, Instant newSince)
{
    Figures figures;
    for (Row row : session.query("SELECT count(*), count(CASE WHEN created_at >= $2 THEN 1 END) FROM contact "
                                 "WHERE organization_id = $1 AND deleted_at IS NULL",
                                 organizationId, newSince))
        figures = {row.get<std::int64_t>(0), row.get<std::int64_t>(1)};
    return figures;
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

std::vector<WidgetMetric> metricsOf(const Figures& figures, const std::string& currency)
{
    std::vector<WidgetMetric> metrics{metric("contacts", "Contacts", figures.contacts, "/contacts"),
                                      metric("new_7d", "New in 7 days", figures.newContacts, "/contacts?sort=-createdAt"),
                                      metric("open_value", "Open pipeline value", 0, "/pipeline"),
                                      metric("stale", "Stale cards", 0, "/pipeline")};
    metrics[2].format = "currency";
    metrics[2].currency = currency;
    return metrics;
}

std::string summaryOf(const Figures& figures)
{
    std::string summary = std::to_string(figures.contacts) + (figures.contacts == 1 ? " contact, " : " contacts, ");
    return summary + std::to_string(figures.newContacts) + " new in 7 days";
}

} // namespace

WidgetRoutes::WidgetRoutes(Context& context, std::string currency) : _context(context), _currency(std::move(currency))
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
    auto session = _context.database().session();
    const auto figures = readFigures(session, organization, now - std::chrono::hours(24 * 7));
    const WidgetAction create{"new", "New contact", "/contacts/new", "primary", "crm.contacts:write"};

    Widget widget;
    widget.serviceId = _context.host().serviceId;
    widget.widgetId = overview;
    widget.title = "Contacts and pipeline";
    widget.generatedAt = now;
    widget.context = {"organization", organization};
    widget.metrics = metricsOf(figures, _currency);
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
