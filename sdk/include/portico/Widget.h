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

// Answer of `GET /api/widget` of every service: a tile of the launchpad. Texts are plain; `href` is a path on the service's origin.
// `Widget::fit` enforces the limits.

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
    return describe(field<&WidgetContext::kind>(), field<&WidgetContext::organizationId>().omitEmpty(),
                    field<&WidgetContext::householdId>().omitEmpty());
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
    return describe(members<&WidgetDelta::value, &WidgetDelta::direction, &WidgetDelta::period, &WidgetDelta::sentiment>());
}

struct WidgetMetric
{
    std::string id;
    std::string label;
    /// Minor units if the format is `currency`.
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
    return describe(members<&WidgetMetric::id, &WidgetMetric::label, &WidgetMetric::value, &WidgetMetric::format, &WidgetMetric::unit,
                            &WidgetMetric::currency, &WidgetMetric::delta, &WidgetMetric::href>());
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
    return describe(members<&WidgetItem::id, &WidgetItem::title, &WidgetItem::subtitle, &WidgetItem::timestamp, &WidgetItem::status,
                            &WidgetItem::badge, &WidgetItem::iconUrl, &WidgetItem::href>());
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
    return describe(members<&WidgetSeries::id, &WidgetSeries::label, &WidgetSeries::unit, &WidgetSeries::points>());
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
    return describe(
        members<&WidgetAction::id, &WidgetAction::label, &WidgetAction::href, &WidgetAction::style, &WidgetAction::requiresPermission>());
}

struct WidgetCounts
{
    std::int64_t attention = 0;
    std::int64_t unread = 0;
};

constexpr auto schemaOf(const WidgetCounts*) { return describe(members<&WidgetCounts::attention, &WidgetCounts::unread>()); }

struct WidgetEmptyState
{
    std::string title;
    std::string body;
    std::optional<WidgetAction> action = {};
};

constexpr auto schemaOf(const WidgetEmptyState*)
{
    return describe(members<&WidgetEmptyState::title, &WidgetEmptyState::body>(), field<&WidgetEmptyState::action>().omitEmpty());
}

struct WidgetLink
{
    std::string label;
    std::string href;
};

constexpr auto schemaOf(const WidgetLink*) { return describe(members<&WidgetLink::label, &WidgetLink::href>()); }

struct WidgetSetup
{
    std::string title;
    std::string body;
    std::string href;
};

constexpr auto schemaOf(const WidgetSetup*) { return describe(members<&WidgetSetup::title, &WidgetSetup::body, &WidgetSetup::href>()); }

/// Query of `GET /api/widget`. Members that name the context are compared with the caller's, so the schema does not validate them. A
/// household is the one that the caller has selected in personal context (`Caller::householdId`).
struct WidgetQuery
{
    std::string widgetId = "overview";
    std::string context;
    std::string organizationId;
    std::string householdId;
    /// Language tag (RFC 5646), for example `de-AT`.
    std::string locale;
};

constexpr auto schemaOf(const WidgetQuery*)
{
    return describe(field<&WidgetQuery::widgetId>(), field<&WidgetQuery::context>().description("The caller's"),
                    field<&WidgetQuery::organizationId>().description("The caller's"),
                    field<&WidgetQuery::householdId>().description("The caller's"),
                    field<&WidgetQuery::locale>().description("A language tag (RFC 5646), for example `de-AT`"));
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

    /// Returns an empty widget for a query, with id, context and time. @throws Problem 403 `permission_denied` for another
    /// context, 400 for an invalid locale, 404 `widget_not_found` for an id other than `widgetId`
    static Widget answering(const WidgetQuery& query, const Caller& caller, std::string_view widgetId, std::string_view serviceId,
                            Instant now);

    /// Truncates lists and texts to the limits of the contract. Call it last.
    Widget& fit();
};

constexpr auto schemaOf(const Widget*)
{
    return describe(
        field<&Widget::schemaVersion>(), field<&Widget::serviceId>("service_id"),
        members<&Widget::widgetId, &Widget::status, &Widget::title, &Widget::summary, &Widget::iconUrl, &Widget::accent,
                &Widget::generatedAt, &Widget::refreshAfterSeconds, &Widget::expiresAt, &Widget::context, &Widget::metrics, &Widget::items,
                &Widget::series, &Widget::actions, &Widget::counts, &Widget::emptyState, &Widget::more, &Widget::setup>());
}

} // namespace portico
