#include "trends/TrendRoutes.h"

#include "trends/RankedTrends.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

void TrendRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> brands{"400 brand_required", "400 brand_mismatch"};
    const std::vector<std::string_view> addresses{"400 brand_required", "400 brand_mismatch", "400 address_not_allowed", "409 conflict"};
    const auto reads = access::bearer("content:read"), writes = access::bearer("content:write");
    constexpr std::string_view one = "/api/trend-sources/{trendSourceId}";
    routes
        .get("/api/trends", access::bearerOrKey("content:read", "posts.read").bindInHandler(brandResource), &TrendRoutes::list, this,
             {.summary = "List the items of a brand's sources by score", .problems = brands})
        .get("/api/trend-sources", reads, &TrendRoutes::sources, this, {.summary = "List the sources of trends", .problems = brands})
        .post("/api/trend-sources", writes, &TrendRoutes::add, this, {.summary = "Add a source of trends", .problems = addresses})
        .patch(one, writes, &TrendRoutes::change, this, {.summary = "Change a source of trends", .problems = addresses})
        .del(one, writes, &TrendRoutes::remove, this, {.summary = "Delete a source of trends with its items", .problems = brands})
        .post("/api/trend-sources/{trendSourceId}/refresh", writes, &TrendRoutes::refresh, this,
              {.summary = "Refresh a source of trends", .problems = brands, .statuses = {202}});
}

BrandId TrendRoutes::brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                             const std::optional<std::string>& body) const
{
    auto session = _context.database().session();
    return requireBrand(session, caller, header, query, body);
}

TrendSource TrendRoutes::shown(TrendSource source, Tenant tenant) const
{
    auto session = _context.database().session();
    source.itemCount = itemsOf(session, tenant, source);
    return source;
}

Page<SourceItem> TrendRoutes::list(const Caller& caller, const BrandHeader& brand, const Query<TrendFilter>& filter,
                                   const Paging& paging) const
{
    auto snapshot = _context.database().snapshot();
    const auto where = requireBrand(snapshot, caller, brand, filter->brandId);
    const auto behind = paging.cursor.empty() ? std::nullopt : std::optional(fromStoredJson<TrendPlace>(paging.cursor));
    const auto asOf = behind ? behind->asOf : std::chrono::floor<std::chrono::minutes>(_context.clock().now());
    Page<SourceItem> page;
    if (!filter->kind.empty() && std::ranges::find(filter->kind, SourceItemKind::Trend) == filter->kind.end()) return page;
    const bool byTime = filter->sort == TrendSort::ObservedAtDescending;
    const auto all = rankedTrends(snapshot, caller.tenant(), where,
                                  {filter->source, filter->language.value_or(""), filter->tag.value_or(""), filter->observedFrom,
                                   filter->minScore.value_or(0), byTime},
                                  asOf);
    const auto before = [&](const TrendPlace& one, const TrendPlace& other) { return comesBefore(one, other, byTime); };
    auto next = behind ? std::ranges::upper_bound(all, *behind, before) : all.begin();
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(all.size());
    for (; next != all.end() && page.items.size() < static_cast<std::size_t>(paging.limit); ++next)
    {
        auto item = sourceItemTable.find(snapshot, caller.tenant(), where, next->sourceItemId);
        if (!item) continue;
        item->score = static_cast<double>(next->score) / 10'000;
        page.items.push_back(*std::move(item));
    }
    if (next != all.end()) page.nextCursor = toJson(*std::prev(next));
    return page;
}

Page<TrendSource> TrendRoutes::sources(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                       const Paging& paging) const
{
    auto session = _context.database().session();
    auto page = trendSourceTable.select(caller.tenant())
                    .where(&TrendSource::brandId, requireBrand(session, caller, brand, choice->brandId))
                    .orderBy(&TrendSource::createdAt)
                    .page(session, paging);
    for (auto& source : page.items) source.itemCount = itemsOf(session, caller.tenant(), source);
    return page;
}

Created<TrendSource> TrendRoutes::add(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                      const Body<NewTrendSource>& body) const
{
    TrendSource source;
    source.kind = body->kind;
    source.name = body->name;
    source.url = body->url;
    source.enabled = body->enabled;
    auto made = _service.add(caller.tenant(), brandOf(caller, brand, choice->brandId, body->brandId), std::move(source));
    auto location = "/api/trend-sources/" + made.trendSourceId.text();
    return {std::move(made), std::move(location)};
}

TrendSource TrendRoutes::change(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                const Path<TrendSourceId>& id, const IfMatch& ifMatch, const Body<Patch<TrendSource>>& patch) const
{
    return shown(_service.change(caller.tenant(), brandOf(caller, brand, choice->brandId), *id, ifMatch, *patch), caller.tenant());
}

NoContent TrendRoutes::remove(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                              const Path<TrendSourceId>& id, const IfMatch& ifMatch) const
{
    _service.remove(caller.tenant(), brandOf(caller, brand, choice->brandId), *id, ifMatch);
    return {};
}

Reply<TrendSource> TrendRoutes::refresh(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                        const Path<TrendSourceId>& id) const
{
    const auto tenant = caller.tenant();
    return {.record = shown(_service.refresh(tenant, brandOf(caller, brand, choice->brandId), *id), tenant), .status = 202};
}

} // namespace portico::social
