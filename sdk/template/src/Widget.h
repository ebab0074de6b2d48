#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace acme_notes
{

// What `GET /api/widget` answers; the launchpad shows it. `href` is a path on this service's origin.

struct WidgetMetric
{
    std::string id;
    std::string label;
    std::int64_t value = 0;
    std::string format = "integer";
    std::string href;
};

struct WidgetItem
{
    std::string id;
    std::string title;
    portico::Instant timestamp{};
    std::string href;
};

struct WidgetContext
{
    std::string kind = "organization";
    std::string organizationId;
};

/// Shown instead of figures while there are none.
struct WidgetEmptyState
{
    std::string title;
    std::string body;
};

struct WidgetLink
{
    std::string label;
    std::string href;
};

enum class WidgetStatus
{
    Ok,
    Empty
};

struct Widget
{
    std::int64_t schemaVersion = 1;
    std::string serviceId;
    std::string widgetId;
    WidgetStatus status = WidgetStatus::Ok;
    std::string title;
    std::string summary;
    portico::Instant generatedAt{};
    std::int64_t refreshAfterSeconds = 60;
    WidgetContext context;
    std::vector<WidgetMetric> metrics;
    std::vector<WidgetItem> items;
    std::optional<WidgetEmptyState> emptyState;
    WidgetLink more;
};

struct WidgetQuery
{
    std::string widgetId = "overview";
    std::string context = "organization";
    std::string organizationId;
    std::string householdId;
    std::string locale;
};

} // namespace acme_notes

template <>
struct portico::Schema<acme_notes::WidgetMetric>
{
    using T = acme_notes::WidgetMetric;
    static constexpr auto fields = describe(field("id", &T::id), field("label", &T::label), field("value", &T::value),
                                            field("format", &T::format), field("href", &T::href));
};

template <>
struct portico::Schema<acme_notes::WidgetItem>
{
    using T = acme_notes::WidgetItem;
    static constexpr auto fields =
        describe(field("id", &T::id), field("title", &T::title), field("timestamp", &T::timestamp), field("href", &T::href));
};

template <>
struct portico::Schema<acme_notes::WidgetContext>
{
    using T = acme_notes::WidgetContext;
    static constexpr auto fields = describe(field("kind", &T::kind), field("organizationId", &T::organizationId));
};

template <>
struct portico::Schema<acme_notes::WidgetEmptyState>
{
    using T = acme_notes::WidgetEmptyState;
    static constexpr auto fields = describe(field("title", &T::title), field("body", &T::body));
};

template <>
struct portico::Schema<acme_notes::WidgetLink>
{
    using T = acme_notes::WidgetLink;
    static constexpr auto fields = describe(field("label", &T::label), field("href", &T::href));
};

template <>
struct portico::Schema<acme_notes::WidgetStatus>
{
    static constexpr auto choices =
        portico::choices<acme_notes::WidgetStatus>({{"ok", acme_notes::WidgetStatus::Ok}, {"empty", acme_notes::WidgetStatus::Empty}});
};

template <>
struct portico::Schema<acme_notes::Widget>
{
    using T = acme_notes::Widget;
    static constexpr auto fields = describe(
        field("schemaVersion", &T::schemaVersion), field("service_id", &T::serviceId), field("widgetId", &T::widgetId),
        field("status", &T::status), field("title", &T::title), field("summary", &T::summary), field("generatedAt", &T::generatedAt),
        field("refreshAfterSeconds", &T::refreshAfterSeconds), field("context", &T::context), field("metrics", &T::metrics),
        field("items", &T::items), field("emptyState", &T::emptyState), field("more", &T::more));
};

template <>
struct portico::Schema<acme_notes::WidgetQuery>
{
    using T = acme_notes::WidgetQuery;
    static constexpr auto fields =
        describe(field("widgetId", &T::widgetId), field("context", &T::context), field("organizationId", &T::organizationId),
                 field("householdId", &T::householdId), field("locale", &T::locale).maxLength(35));
};
