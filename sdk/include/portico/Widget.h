#pragma once

#include "portico/Caller.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

// What `GET /api/widget` of every service answers: a tile that the launchpad shows. Texts are plain; `href` is a path on the service's own
// origin. `Widget::fit` keeps the limits.

enum class WidgetStatus
{
    Ok,
    Empty,         ///< with `emptyState`
    SetupRequired, ///< with `setup`
    Degraded
};

constexpr auto schemaOf(const WidgetStatus*)
{
    using enum WidgetStatus;
    return choices<WidgetStatus>({{"ok", Ok}, {"empty", Empty}, {"setup_required", SetupRequired}, {"degraded", Degraded}});
}

struct WidgetContext
{
    /// `organization`, `personal` or `household`.
    std::string kind;
    std::optional<std::string> organizationId;
    std::optional<std::string> householdId;
};

constexpr auto schemaOf(const WidgetContext*)
{
    return describe(field("kind", &WidgetContext::kind), field("organizationId", &WidgetContext::organizationId).omitEmpty(),
                    field("householdId", &WidgetContext::householdId).omitEmpty());
}

struct WidgetDelta
{
    std::int64_t value = 0;
    /// `up`, `down` or `flat`.
    std::string direction;
    /// `7d`
    std::string period;
    /// `good`, `bad` or `neutral`.
    std::string sentiment;
};

constexpr auto schemaOf(const WidgetDelta*)
{
    return describe(field("value", &WidgetDelta::value), field("direction", &WidgetDelta::direction), field("period", &WidgetDelta::period),
                    field("sentiment", &WidgetDelta::sentiment));
}

struct WidgetMetric
{
    std::string id;
    std::string label;
    /// Minor units, where the format is `currency`.
    std::int64_t value = 0;
    /// `integer`, `decimal`, `percent`, `currency`, `bytes`, `duration_seconds` or `text`.
    std::string format = "integer";
    std::optional<std::string> unit;
    std::optional<std::string> currency;
    std::optional<WidgetDelta> delta;
    std::string href;
};

constexpr auto schemaOf(const WidgetMetric*)
{
    return describe(field("id", &WidgetMetric::id), field("label", &WidgetMetric::label), field("value", &WidgetMetric::value),
                    field("format", &WidgetMetric::format), field("unit", &WidgetMetric::unit), field("currency", &WidgetMetric::currency),
                    field("delta", &WidgetMetric::delta), field("href", &WidgetMetric::href));
}

struct WidgetItem
{
    std::string id;
    std::string title;
    std::string subtitle;
    std::optional<Instant> timestamp;
    /// `neutral`, `info`, `success`, `warning` or `critical`.
    std::string status = "neutral";
    std::optional<std::string> badge;
    std::optional<std::string> iconUrl;
    std::string href;
};

constexpr auto schemaOf(const WidgetItem*)
{
    return describe(field("id", &WidgetItem::id), field("title", &WidgetItem::title), field("subtitle", &WidgetItem::subtitle),
                    field("timestamp", &WidgetItem::timestamp), field("status", &WidgetItem::status), field("badge", &WidgetItem::badge),
                    field("iconUrl", &WidgetItem::iconUrl), field("href", &WidgetItem::href));
}

struct WidgetSeries
{
    std::string id;
    std::string label;
    std::string unit;
    /// `["2026-11-20",3]`
    std::vector<Json> points;
};

constexpr auto schemaOf(const WidgetSeries*)
{
    return describe(field("id", &WidgetSeries::id), field("label", &WidgetSeries::label), field("unit", &WidgetSeries::unit),
                    field("points", &WidgetSeries::points));
}

struct WidgetAction
{
    std::string id;
    std::string label;
    std::string href;
    std::string style = "primary";
    std::optional<std::string> requiresPermission;
};

constexpr auto schemaOf(const WidgetAction*)
{
    return describe(field("id", &WidgetAction::id), field("label", &WidgetAction::label), field("href", &WidgetAction::href),
                    field("style", &WidgetAction::style), field("requiresPermission", &WidgetAction::requiresPermission));
}

struct WidgetCounts
{
    std::int64_t attention = 0;
    std::int64_t unread = 0;
};

constexpr auto schemaOf(const WidgetCounts*)
{
    return describe(field("attention", &WidgetCounts::attention), field("unread", &WidgetCounts::unread));
}

struct WidgetEmptyState
{
    std::string title;
    std::string body;
    std::optional<WidgetAction> action = {};
};

constexpr auto schemaOf(const WidgetEmptyState*)
{
    return describe(field("title", &WidgetEmptyState::title), field("body", &WidgetEmptyState::body),
                    field("action", &WidgetEmptyState::action).omitEmpty());
}

struct WidgetLink
{
    std::string label;
    std::string href;
};

constexpr auto schemaOf(const WidgetLink*) { return describe(field("label", &WidgetLink::label), field("href", &WidgetLink::href)); }

struct WidgetSetup
{
    std::string title;
    std::string body;
    std::string href;
};

constexpr auto schemaOf(const WidgetSetup*)
{
    return describe(field("title", &WidgetSetup::title), field("body", &WidgetSetup::body), field("href", &WidgetSetup::href));
}

/// Query of `GET /api/widget`. What names the context is compared with the caller's, so that none of it is validated by itself.
struct WidgetQuery
{
    std::string widgetId = "overview";
    std::string context;
    std::string organizationId;
    std::string householdId;
    /// Language tag (RFC 5646), as `de-AT`.
    std::string locale;
};

constexpr auto schemaOf(const WidgetQuery*)
{
    return describe(field("widgetId", &WidgetQuery::widgetId), field("context", &WidgetQuery::context).description("The caller's"),
                    field("organizationId", &WidgetQuery::organizationId).description("The caller's"),
                    field("householdId", &WidgetQuery::householdId).description("The caller's"),
                    field("locale", &WidgetQuery::locale).description("A language tag (RFC 5646), as en or de-AT"));
}

struct PORTICO_API Widget
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
    std::vector<WidgetSeries> series;
    std::vector<WidgetAction> actions;
    WidgetCounts counts;
    std::optional<WidgetEmptyState> emptyState;
    std::optional<WidgetLink> more;
    std::optional<WidgetSetup> setup;

    /// An empty one that answers a query: its id, its context and the time are filled in. @throws Problem 403 `permission_denied` for
    /// another's context, 400 for a locale that is none, 404 `widget_not_found` for another id than `widgetId`
    static Widget answering(const WidgetQuery& query, const Caller& caller, std::string_view widgetId, std::string_view serviceId,
                            Instant now);

    /// Cuts what is longer than the contract lets it be: lists, texts at characters. Call it last.
    Widget& fit();
};

constexpr auto schemaOf(const Widget*)
{
    return describe(field("schemaVersion", &Widget::schemaVersion), field("service_id", &Widget::serviceId),
                    field("widgetId", &Widget::widgetId), field("status", &Widget::status), field("title", &Widget::title),
                    field("summary", &Widget::summary), field("iconUrl", &Widget::iconUrl), field("accent", &Widget::accent),
                    field("generatedAt", &Widget::generatedAt), field("refreshAfterSeconds", &Widget::refreshAfterSeconds),
                    field("expiresAt", &Widget::expiresAt), field("context", &Widget::context), field("metrics", &Widget::metrics),
                    field("items", &Widget::items), field("series", &Widget::series), field("actions", &Widget::actions),
                    field("counts", &Widget::counts), field("emptyState", &Widget::emptyState), field("more", &Widget::more),
                    field("setup", &Widget::setup));
}

} // namespace portico
