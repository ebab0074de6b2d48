#pragma once

#include "widgets/WidgetFetch.h"

#include "portico/Plugin.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

inline constexpr std::int64_t maxWidgets = 40;

struct WidgetReference
{
    std::string serviceId;
    std::string widgetId = "overview";

    friend bool operator==(const WidgetReference&, const WidgetReference&) = default;
};

constexpr auto schemaOf(const WidgetReference*)
{
    return describe(field<&WidgetReference::serviceId>("service_id").required().maxLength(40),
                    field<&WidgetReference::widgetId>().maxLength(80));
}

struct BatchInput
{
    std::vector<WidgetReference> widgets;
    bool refresh = false;
};

constexpr auto schemaOf(const BatchInput*)
{
    return describe(
        field<&BatchInput::widgets>().maxItems(maxWidgets).description("Default: all visible widgets of the installed apps, at most 40"),
        field<&BatchInput::refresh>().description("Ignores cached payloads, at most once in 10 s for each widget"));
}

enum class WidgetSource
{
    Native,
    Cache,
    Stale,
    Metadata
};

constexpr auto schemaOf(const WidgetSource*)
{
    using enum WidgetSource;
    return portico::choices<WidgetSource>({{"native", Native}, {"cache", Cache}, {"stale", Stale}, {"metadata", Metadata}});
}

struct WidgetError
{
    /// `timeout`, `connect_failed`, `http_503`, `bad_payload`, `too_large`, `circuit_open`, `token_refused`.
    std::string code;
    std::optional<std::int64_t> status;
};

constexpr auto schemaOf(const WidgetError*)
{
    return describe(
        field<&WidgetError::code>().description("Code of the error: `timeout`, `connect_failed`, `http_` with the status, `bad_payload`, "
                                                "`too_large`, `circuit_open` or `token_refused`"),
        field<&WidgetError::status>());
}

struct WidgetTile
{
    std::string serviceId;
    std::string widgetId;
    WidgetSource source = WidgetSource::Metadata;
    std::optional<Instant> fetchedAt;
    std::int64_t ageSeconds = 0;
    bool stale = false;
    Json widget;
    std::optional<WidgetError> error;
};

constexpr auto schemaOf(const WidgetTile*)
{
    return describe(field<&WidgetTile::serviceId>("service_id"),
                    members<&WidgetTile::widgetId, &WidgetTile::source, &WidgetTile::fetchedAt, &WidgetTile::ageSeconds, &WidgetTile::stale,
                            &WidgetTile::widget, &WidgetTile::error>());
}

struct ExcludedWidget
{
    std::string serviceId;
    std::string widgetId;
    Exclusion reason = Exclusion::NotInstalled;
};

constexpr auto schemaOf(const ExcludedWidget*)
{
    return describe(field<&ExcludedWidget::serviceId>("service_id"), members<&ExcludedWidget::widgetId, &ExcludedWidget::reason>());
}

struct BatchContext
{
    std::string kind;
    std::optional<std::string> organizationId;
};

constexpr auto schemaOf(const BatchContext*)
{
    return describe(field<&BatchContext::kind>(), field<&BatchContext::organizationId>().omitEmpty());
}

struct BatchAnswer
{
    BatchContext activeContext;
    Instant generatedAt{};
    std::int64_t durationMs = 0;
    std::int64_t budgetMs = WidgetBudget().page.count();
    std::vector<WidgetTile> widgets;
    std::vector<ExcludedWidget> excluded;
    std::int64_t nextRefreshSeconds = WidgetCache::freshFor.count();
};

constexpr auto schemaOf(const BatchAnswer*)
{
    return describe(members<&BatchAnswer::activeContext, &BatchAnswer::generatedAt, &BatchAnswer::durationMs, &BatchAnswer::budgetMs,
                            &BatchAnswer::widgets, &BatchAnswer::excluded, &BatchAnswer::nextRefreshSeconds>());
}

/// Answers a batch: each widget from the cache, from its app, from an older payload, or from the app's metadata. Thread-safe.
class WidgetBatch
{
public:
    WidgetBatch(PluginContext& context, WidgetShelf shelf, WidgetBudget budget = {})
        : _context(context), _shelf(std::move(shelf)), _budget(budget)
    {
    }
    void start();

    /// @param context `requestId`, `clientAddress` and `locale` are given; the rest is the caller's
    BatchAnswer run(const Caller& caller, const BatchInput& input, FetchContext context);
    /// Apps of the caller that have widgets, in the caller's order.
    std::vector<WidgetApp> apps(const Caller& caller) const { return _shelf(caller); }

    /// Returns whether a cached payload is outdated, although it is young: its app has reported a change since.
    std::function<bool(const Caller& caller, std::string_view serviceId, Instant fetchedAt)> isOutdated;

private:
    struct Tile;
    std::vector<Tile> choose(const std::vector<WidgetApp>& apps, const BatchInput& input, BatchAnswer& answer) const;
    void addKeys(const Caller& caller, const FetchContext& context, std::vector<Tile>& tiles) const;
    /// Returns whether a payload needs no fetch.
    bool isFresh(const Caller& caller, const Tile& tile, const CachedWidget& payload) const;
    void fetch(const Caller& caller, const FetchContext& context, bool refresh, std::vector<Tile>& tiles);
    WidgetTile shown(const Tile& tile, const FetchContext& context, Instant now) const;

    PluginContext& _context;
    const WidgetShelf _shelf;
    const WidgetBudget _budget;
    WidgetCache _cache{_context};
    Flights _flights;
    Breaker _breaker;
    WidgetFetch _fetch{_context, _cache, _flights, _breaker, _budget.call};
};

} // namespace portico::launchpad
