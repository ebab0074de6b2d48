#include "catalog/StoreRoutes.h"

#include "common/RateLimits.h"
#include "common/Slice.h"

#include "portico/Arguments.h"
#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace portico::launchpad
{

namespace
{
constexpr std::int64_t storeRequestsPerMinute = 60;
constexpr std::size_t shortestQuery = 2, longestQuery = 80;
constexpr auto popularityAge = std::chrono::minutes(1);
constexpr std::string_view storeCache = "public, max-age=60";

bool has(const std::vector<std::string>& ids, const std::optional<std::string>& wanted)
{
    return !wanted || std::ranges::find(ids, *wanted) != ids.end();
}

bool fits(const App& app, const StoreFilter& filter)
{
    const auto& shown = app.shown;
    return has(shown.categories, filter.category) && has(shown.collections, filter.collection) &&
           (!filter.surfaceGroup || shown.surfaceGroup == *filter.surfaceGroup) &&
           (!filter.pricing || shown.commerce.pricing == *filter.pricing);
}

/// Returns digits that sort the largest number first.
std::string descendingKey(std::int64_t number)
{
    return sortableDigits(std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(number, 0));
}

/// Launches of each app, by its position in the catalog.
std::vector<std::int64_t> launchesByPlace(const AppCatalog& apps, const std::map<std::string, std::int64_t>& launches)
{
    std::vector<std::int64_t> counted(apps.all().size());
    for (const auto& [id, count] : launches)
        if (const auto* app = apps.find(id)) counted[static_cast<std::size_t>(app - apps.all().data())] = count;
    return counted;
}

std::string scopeOf(const StoreFilter& filter)
{
    auto bound = filter;
    bound.cursor.emplace();
    bound.include.reset();
    bound.limit = 50;
    return toJson(bound);
}
} // namespace

StoreRoutes::StoreRoutes(PluginContext& context, const Registry& registry, const PriceList& prices, Popularity popularity)
    : _context(context),
      _registry(registry),
      _prices(prices),
      _popularity(std::move(popularity)),
      _perAddress(perMinute(context, "store", storeRequestsPerMinute))
{
}

void StoreRoutes::declare(Routes& routes)
{
    const auto cached = [](std::string_view summary, std::vector<std::string_view> problems = {}) -> RouteOptions
    { return {.summary = summary, .crossOrigin = CrossOrigin::anyone(), .cacheControl = storeCache, .problems = std::move(problems)}; };
    routes.get("/api/store/catalog", access::open(), &StoreRoutes::catalog, this, cached("List the apps of the store"))
        .get("/api/store/search", access::open(), &StoreRoutes::search, this, cached("Search the store", {"400 query_too_short"}))
        .get("/api/store/apps/{slug}", access::open(), &StoreRoutes::detail, this, cached("Read an app of the store"))
        .get("/api/store/categories", access::open(), &StoreRoutes::categories, this, cached("List the categories of apps"))
        .get("/api/store/collections", access::open(), &StoreRoutes::collections, this, cached("List the collections of apps"))
        .get("/api/commerce/apps", access::open(), &StoreRoutes::prices, this, cached("List the public prices of apps"))
        .get("/api/commerce/bundles", access::open(), &StoreRoutes::bundles, this, cached("List the packages of apps"));
}

std::map<std::string, std::int64_t> StoreRoutes::popularity() const
{
    const auto now = _context.clock().now();
    {
        const std::lock_guard lock(_mutex);
        if (_countedAt && now - *_countedAt < popularityAge) return _launches;
    }
    auto counted = _popularity();
    const std::lock_guard lock(_mutex);
    _launches = counted;
    _countedAt = now;
    return counted;
}

Reply<StorePageText> StoreRoutes::catalog(const Request& request, const Query<StoreFilter>& filter) const
{
    _perAddress.require(request.clientAddress);
    const auto apps = _registry.apps();
    const auto launches = filter->sort == StoreSort::Popular ? launchesByPlace(*apps, popularity()) : std::vector<std::int64_t>();
    auto order = filter->sort == StoreSort::New ? apps->byAge() : apps->byName();
    if (filter->sort == StoreSort::Popular)
        std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t each) { return launches[each]; });
    const auto appAt = [&](std::size_t place) -> const App& { return apps->all()[order[place]]; };
    const auto key = [&](std::size_t place)
    {
        const auto& app = appAt(place);
        std::string value;
        if (filter->sort == StoreSort::New) value = descendingKey(toMillis(app.createdAt));
        if (filter->sort == StoreSort::Popular) value = descendingKey(launches[order[place]]);
        return std::pair(value + app.sortName, app.shown.serviceId);
    };
    const auto scope = scopeOf(*filter);
    const auto behind = filter->cursor ? openCursor(request, scope, *filter->cursor) : std::string();
    const auto accepts = [&](std::size_t place) { return fits(appAt(place), *filter); };
    const auto page = slice({order.size(), key, accepts}, behind, static_cast<std::size_t>(filter->limit));
    StorePageText answer;
    if (filter->include) answer.total = countOf(order.size(), accepts);
    auto digests = std::to_string(answer.total.value_or(-1));
    for (const auto place : page.places)
    {
        answer.items.push_back(appAt(place).text);
        digests += appAt(place).digest;
    }
    if (!page.next.empty()) answer.nextCursor = signCursor(request, scope, page.next);
    auto etag = '"' + sha256(digests + answer.nextCursor.value_or("")).hex().substr(0, 32) + '"';
    return {.record = std::move(answer), .etag = std::move(etag)};
}

FoundApps StoreRoutes::search(const Request& request, const Query<StoreSearch>& wanted) const
{
    _perAddress.require(request.clientAddress);
    const auto begin = std::chrono::steady_clock::now();
    const auto query = std::string(trim(wanted->q));
    if (characterCount(query) < shortestQuery) throw Problem::badRequest("query_too_short", "Enter at least 2 characters.");
    if (characterCount(query) > longestQuery) throw Problem::invalid("q", "too_long", "At most 80 characters");
    const auto apps = _registry.apps();
    FoundApps answer;
    answer.query = query;
    const auto result = apps->index().find(query);
    const auto fitsCategory = [&](std::size_t document) { return has(apps->all()[document].shown.categories, wanted->category); };
    for (const auto& hit : result.best(static_cast<std::size_t>(wanted->limit), fitsCategory))
        answer.items.push_back({apps->all()[hit.document].text, hit.score, result.matchesOf(hit)});
    const auto took = std::chrono::steady_clock::now() - begin;
    answer.tookMs = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    return answer;
}

StoreAppDetail StoreRoutes::detail(const Request& request, const Path<std::string>& slug) const
{
    _perAddress.require(request.clientAddress);
    const auto apps = _registry.apps();
    const auto* app = apps->findBySlug(*slug);
    if (!app) throw Problem::notFound("There is no such app.");
    StoreAppDetail answer;
    static_cast<StoreApp&>(answer) = app->shown;
    answer.longDescription = app->longDescription;
    answer.changelog = app->changelog;
    answer.permissions = app->scopes;
    answer.privacyUrl = app->privacyUrl;
    answer.supportUrl = app->supportUrl;
    for (const auto& id : app->related)
        if (const auto* other = apps->find(id); other && other->listed) answer.related.push_back(other->text);
    return answer;
}

Page<AppGroup> StoreRoutes::categories(const Request& request, const Paging& paging) const
{
    _perAddress.require(request.clientAddress);
    return sortedPageOf(_registry.apps()->categories(), paging, &AppGroup::id);
}

Page<AppGroup> StoreRoutes::collections(const Request& request, const Paging& paging) const
{
    _perAddress.require(request.clientAddress);
    return sortedPageOf(_registry.apps()->collections(), paging, &AppGroup::id);
}

Page<CommerceItem> StoreRoutes::prices(const Request& request, const Query<CommerceFilter>& filter, const Paging& paging) const
{
    _perAddress.require(request.clientAddress);
    std::vector<CommerceItem> items;
    const auto apps = _registry.apps();
    for (const auto& app : apps->all())
    {
        if (!app.listed || (filter->serviceId && app.shown.serviceId != *filter->serviceId)) continue;
        CommerceItem item;
        static_cast<Commerce&>(item) = app.shown.commerce;
        item.serviceId = app.shown.serviceId;
        items.push_back(std::move(item));
    }
    return sortedPageOf(std::move(items), paging, &CommerceItem::serviceId);
}

Page<Bundle> StoreRoutes::bundles(const Request& request, const Paging& paging) const
{
    _perAddress.require(request.clientAddress);
    const auto bundle = [this](Package package)
    {
        Bundle made;
        made.package = package;
        made.appCount = appCountOf(package);
        made.salesContact = package == Package::Enterprise;
        if (const auto* price = _prices.shown(package, BillingInterval::Month))
            made.minimumPrice = Price{price->amount, price->currency, std::string(toString(price->interval))};
        return made;
    };
    std::vector<Bundle> bundles;
    for (const auto package : pricedPackages) bundles.push_back(bundle(package));
    bundles.push_back(bundle(Package::Enterprise));
    return sortedPageOf(std::move(bundles), paging,
                        [](const Bundle& each) { return sortableDigits(static_cast<std::int64_t>(each.package)); });
}

} // namespace portico::launchpad
