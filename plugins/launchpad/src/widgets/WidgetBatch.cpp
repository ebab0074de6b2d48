#include "widgets/WidgetBatch.h"

#include "widgets/MetadataWidget.h"

#include "portico/Crypto.h"
#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"

#include <algorithm>
#include <map>
#include <utility>

namespace portico::launchpad
{

/// State of one widget of a batch.
struct WidgetBatch::Tile
{
    WidgetReference reference;
    const WidgetApp* app = nullptr;
    const OfferedWidget* offered = nullptr;

    Tile(WidgetReference wanted, const WidgetApp& from, const OfferedWidget& widget)
        : reference(std::move(wanted)), app(&from), offered(&widget)
    {
    }

    /// Empty if the caller's rights are unknown; then the widget is neither cached nor fetched.
    std::string key;
    std::optional<CachedWidget> cached;
    bool fresh = false;
    std::shared_ptr<Flights::Flight> flight;
    std::optional<FetchOutcome> outcome;
};

void WidgetBatch::start()
{
    _cache.start();
    _fetch.start();
}

BatchAnswer WidgetBatch::run(const Caller& caller, const BatchInput& input, FetchContext context)
{
    const auto began = _context.clock().steady();
    context.context = caller.organizationId.empty() ? "personal" : "organization";
    context.organizationId = caller.organizationId;
    context.householdId = caller.householdId;
    context.principal = caller.principalId;

    BatchAnswer answer;
    answer.activeContext.kind = context.context;
    if (!caller.organizationId.empty()) answer.activeContext.organizationId = caller.organizationId;
    const auto apps = _shelf(caller);
    auto tiles = choose(apps, input, answer);
    addKeys(caller, context, tiles);
    fetch(caller, context, input.refresh, tiles);

    answer.generatedAt = _context.clock().now();
    for (const auto& tile : tiles) answer.widgets.push_back(shown(tile, context, answer.generatedAt));
    answer.durationMs = std::chrono::duration_cast<std::chrono::milliseconds>(_context.clock().steady() - began).count();
    return answer;
}

std::vector<WidgetBatch::Tile> WidgetBatch::choose(const std::vector<WidgetApp>& apps, const BatchInput& input, BatchAnswer& answer) const
{
    std::vector<Tile> tiles;
    const auto exclude = [&](const WidgetReference& reference, Exclusion reason) {
        answer.excluded.push_back({reference.serviceId, reference.widgetId, reason});
    };
    if (input.widgets.empty())
    {
        for (const auto& app : apps)
            for (const auto& offered : app.widgets)
            {
                const WidgetReference reference{app.serviceId, offered.id};
                if (app.obstacle) continue;
                if (app.hidden.contains(offered.id))
                    exclude(reference, Exclusion::Hidden);
                else if (tiles.size() < static_cast<std::size_t>(maxWidgets))
                    tiles.emplace_back(reference, app, offered);
            }
        return tiles;
    }
    for (const auto& reference : input.widgets)
    {
        const auto same = [&](const auto& known) { return known.serviceId == reference.serviceId && known.widgetId == reference.widgetId; };
        if (std::ranges::any_of(tiles, same, &Tile::reference) || std::ranges::any_of(answer.excluded, same)) continue;
        const auto app = std::ranges::find(apps, reference.serviceId, &WidgetApp::serviceId);
        if (app == apps.end())
            exclude(reference, Exclusion::UnknownService);
        else if (app->obstacle)
            exclude(reference, *app->obstacle);
        else if (const auto* offered = app->widget(reference.widgetId))
            tiles.emplace_back(reference, *app, *offered);
        else
            exclude(reference, Exclusion::UnknownWidget);
    }
    return tiles;
}

/// The key contains the version of the caller's rights in the app, so that a change of rights leaves older entries behind.
void WidgetBatch::addKeys(const Caller& caller, const FetchContext& context, std::vector<Tile>& tiles) const
{
    if (tiles.empty()) return;
    std::vector<std::string> services;
    for (const auto& tile : tiles) services.push_back(tile.reference.serviceId);
    const auto catalog = _context.services().find<interfaces::ServiceCatalog>();
    if (!catalog) return;
    const auto versions = catalog->accessVersions(caller, services);
    for (std::size_t i = 0; i < tiles.size(); ++i)
    {
        auto& tile = tiles[i];
        const auto& household = tile.app->householdCapable ? context.householdId : std::string();
        std::string text;
        for (const auto& part : {caller.principalId, caller.apiKeyId, context.context, context.organizationId, household,
                                 tile.reference.serviceId, tile.reference.widgetId, context.locale, versions[i]})
            text.append(std::to_string(part.size())).append(":").append(part);
        tile.key = sha256(text).hex();
    }
}

bool WidgetBatch::isFresh(const Caller& caller, const Tile& tile, const CachedWidget& payload) const
{
    return _context.clock().now() - payload.fetchedAt < WidgetCache::freshFor &&
           !(isOutdated && isOutdated(caller, tile.reference.serviceId, payload.fetchedAt));
}

void WidgetBatch::fetch(const Caller& caller, const FetchContext& context, bool refresh, std::vector<Tile>& tiles)
{
    const auto steady = _context.clock().steady();
    const auto until = std::chrono::steady_clock::now() + _budget.page;
    std::map<std::string, std::string> tokens;
    const auto tokenFor = [&](const std::string& service) -> const std::string&
    {
        const auto [token, added] = tokens.try_emplace(service);
        if (!added) return token->second;
        if (const auto signIns = _context.services().find<interfaces::SignIns>()) token->second = signIns->widgetToken(caller, service);
        return token->second;
    };
    std::vector<Fetch> fetches;
    for (auto& tile : tiles)
    {
        if (tile.key.empty()) continue;
        tile.cached = _cache.find(tile.key);
        tile.fresh = tile.cached && isFresh(caller, tile, *tile.cached) && !(refresh && _cache.mayRefresh(tile.key));
        if (tile.fresh) continue;
        auto [flight, leads] = _flights.join(tile.key);
        tile.flight = flight;
        if (!leads) continue;
        Fetch fetch{.key = tile.key,
                    .flight = flight,
                    .expected = {tile.reference.serviceId, tile.reference.widgetId, context.context, context.organizationId},
                    .service = tile.reference.serviceId,
                    .widgetUrl = tile.app->widgetUrl,
                    .local = tile.app->local,
                    .token = {},
                    .householdId = tile.app->householdCapable ? context.householdId : std::string()};
        // The fetch of another request may have landed since the first look at the cache.
        if (auto landed = _cache.find(tile.key);
            landed && (!tile.cached || landed->fetchedAt > tile.cached->fetchedAt) && isFresh(caller, tile, *landed))
        {
            _fetch.answer(fetch, *landed);
            tile.cached = std::move(landed);
            tile.fresh = true;
            continue;
        }
        if (!_breaker.allows(fetch.service, steady))
        {
            _fetch.refuse(fetch, "circuit_open", false);
            continue;
        }
        fetch.token = tokenFor(fetch.service);
        if (fetch.token.empty())
            _fetch.refuse(fetch, "token_refused", true);
        else
            fetches.push_back(std::move(fetch));
    }
    _fetch.run(std::move(fetches), context, _budget.page);
    for (auto& tile : tiles)
        if (tile.flight) tile.outcome = _flights.wait(tile.flight, until);
}

WidgetTile WidgetBatch::shown(const Tile& tile, const FetchContext& context, Instant now) const
{
    WidgetTile shown;
    shown.serviceId = tile.reference.serviceId;
    shown.widgetId = tile.reference.widgetId;
    const auto show = [&](WidgetSource source, const std::string& json, Instant fetchedAt)
    {
        shown.source = source;
        shown.widget.text = json;
        shown.fetchedAt = fetchedAt;
        shown.ageSeconds = std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(now - fetchedAt).count());
        shown.stale = source == WidgetSource::Stale;
    };
    if (tile.fresh)
    {
        show(WidgetSource::Cache, tile.cached->json, tile.cached->fetchedAt);
        return shown;
    }
    if (tile.outcome && tile.outcome->error.empty())
    {
        show(WidgetSource::Native, tile.outcome->json, tile.outcome->fetchedAt);
        return shown;
    }
    shown.error = WidgetError{tile.key.empty() ? "token_refused" : tile.outcome ? tile.outcome->error : "timeout", {}};
    if (tile.outcome && tile.outcome->status != 0) shown.error->status = tile.outcome->status;
    if (tile.cached && !(tile.outcome && tile.outcome->revoked))
        show(WidgetSource::Stale, tile.cached->json, tile.cached->fetchedAt);
    else
        shown.widget.text = metadataWidget(
            *tile.app, *tile.offered, {tile.reference.serviceId, tile.reference.widgetId, context.context, context.organizationId}, now);
    return shown;
}

} // namespace portico::launchpad
