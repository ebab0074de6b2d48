#pragma once

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

// The widget contract that all services share (2.13 of the launchpad's page).

struct WidgetDelta
{
    std::int64_t value = 0;
    std::string direction;
    std::string period;
    std::string sentiment;
};

struct WidgetMetric
{
    std::string id;
    std::string label;
    std::int64_t value = 0;
    /// `integer`, `currency` (minor units), …
    std::string format = "integer";
    std::optional<std::string> unit;
    std::optional<std::string> currency;
    std::optional<WidgetDelta> delta;
    std::string href;
};

struct WidgetItem
{
    std::string id;
    std::string title;
    std::string subtitle;
    std::optional<Instant> timestamp;
    std::string status = "neutral";
    std::optional<std::string> badge;
    std::optional<std::string> iconUrl;
    std::string href;
};

struct WidgetAction
{
    std::string id;
    std::string label;
    std::string href;
    std::string style = "primary";
    std::optional<std::string> requiresPermission;
};

struct WidgetContext
{
    std::string kind;
    std::string organizationId;
};

struct WidgetCounts
{
    std::int64_t attention = 0;
    std::int64_t unread = 0;
};

struct WidgetEmptyState
{
    std::string title;
    std::string body;
    std::optional<WidgetAction> action;
};

struct WidgetLink
{
    std::string label;
    std::string href;
};

struct WidgetSetup
{
    std::string title;
    std::string body;
    std::string href;
};

enum class WidgetStatus
{
    Ok,
    Empty,
    SetupRequired,
    Degraded
};

struct Widget
{
    std::int64_t schemaVersion = 1;
    std::string serviceId;
    std::string widgetId;
    WidgetStatus status = WidgetStatus::Ok;
    std::string title;
    std::string summary;
    std::optional<std::string> iconUrl;
    std::optional<std::string> accent;
    Instant generatedAt{};
    std::int64_t refreshAfterSeconds = 45;
    std::optional<Instant> expiresAt;
    WidgetContext context;
    std::vector<WidgetMetric> metrics;
    std::vector<WidgetItem> items;
    std::vector<Json> series;
    std::vector<WidgetAction> actions;
    WidgetCounts counts;
    std::optional<WidgetEmptyState> emptyState;
    std::optional<WidgetLink> more;
    std::optional<WidgetSetup> setup;
};

/// Query of GET /api/widget. What names the context is compared with the caller's, so that none of it is validated by itself.
struct WidgetQuery
{
    std::string widgetId = "overview";
    std::string context;
    std::string organizationId;
    std::string householdId;
    std::string locale;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::WidgetDelta>
{
    using T = portico::crm::WidgetDelta;
    static constexpr auto fields = describe(field("value", &T::value), field("direction", &T::direction), field("period", &T::period),
                                            field("sentiment", &T::sentiment));
};

template <>
struct portico::Schema<portico::crm::WidgetMetric>
{
    using T = portico::crm::WidgetMetric;
    static constexpr auto fields =
        describe(field("id", &T::id), field("label", &T::label), field("value", &T::value), field("format", &T::format),
                 field("unit", &T::unit), field("currency", &T::currency), field("delta", &T::delta), field("href", &T::href));
};

template <>
struct portico::Schema<portico::crm::WidgetItem>
{
    using T = portico::crm::WidgetItem;
    static constexpr auto fields =
        describe(field("id", &T::id), field("title", &T::title), field("subtitle", &T::subtitle), field("timestamp", &T::timestamp),
                 field("status", &T::status), field("badge", &T::badge), field("iconUrl", &T::iconUrl), field("href", &T::href));
};

template <>
struct portico::Schema<portico::crm::WidgetAction>
{
    using T = portico::crm::WidgetAction;
    static constexpr auto fields = describe(field("id", &T::id), field("label", &T::label), field("href", &T::href),
                                            field("style", &T::style), field("requiresPermission", &T::requiresPermission));
};

template <>
struct portico::Schema<portico::crm::WidgetContext>
{
    using T = portico::crm::WidgetContext;
    static constexpr auto fields = describe(field("kind", &T::kind), field("organizationId", &T::organizationId));
};

template <>
struct portico::Schema<portico::crm::WidgetCounts>
{
    using T = portico::crm::WidgetCounts;
    static constexpr auto fields = describe(field("attention", &T::attention), field("unread", &T::unread));
};

template <>
struct portico::Schema<portico::crm::WidgetEmptyState>
{
    using T = portico::crm::WidgetEmptyState;
    static constexpr auto fields = describe(field("title", &T::title), field("body", &T::body), field("action", &T::action).omitEmpty());
};

template <>
struct portico::Schema<portico::crm::WidgetLink>
{
    using T = portico::crm::WidgetLink;
    static constexpr auto fields = describe(field("label", &T::label), field("href", &T::href));
};

template <>
struct portico::Schema<portico::crm::WidgetSetup>
{
    using T = portico::crm::WidgetSetup;
    static constexpr auto fields = describe(field("title", &T::title), field("body", &T::body), field("href", &T::href));
};

template <>
struct portico::Schema<portico::crm::WidgetStatus>
{
    using S = portico::crm::WidgetStatus;
    static constexpr auto choices =
        portico::choices<S>({{"ok", S::Ok}, {"empty", S::Empty}, {"setup_required", S::SetupRequired}, {"degraded", S::Degraded}});
};

template <>
struct portico::Schema<portico::crm::Widget>
{
    using T = portico::crm::Widget;
    static constexpr auto fields =
        describe(field("schemaVersion", &T::schemaVersion), field("service_id", &T::serviceId), field("widgetId", &T::widgetId),
                 field("status", &T::status), field("title", &T::title), field("summary", &T::summary), field("iconUrl", &T::iconUrl),
                 field("accent", &T::accent), field("generatedAt", &T::generatedAt), field("refreshAfterSeconds", &T::refreshAfterSeconds),
                 field("expiresAt", &T::expiresAt), field("context", &T::context), field("metrics", &T::metrics), field("items", &T::items),
                 field("series", &T::series), field("actions", &T::actions), field("counts", &T::counts),
                 field("emptyState", &T::emptyState), field("more", &T::more), field("setup", &T::setup));
};

template <>
struct portico::Schema<portico::crm::WidgetQuery>
{
    using T = portico::crm::WidgetQuery;
    static constexpr auto fields =
        describe(field("widgetId", &T::widgetId), field("context", &T::context).description("organization"),
                 field("organizationId", &T::organizationId).description("The caller's"), field("householdId", &T::householdId),
                 field("locale", &T::locale).description("As en or de-AT"));
};
