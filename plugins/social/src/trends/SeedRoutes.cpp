#include "trends/SeedRoutes.h"

#include "common/SearchText.h"

#include "portico/Json.h"

namespace portico::social
{

void SeedRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> brands{"400 brand_required", "400 brand_mismatch"};
    const auto writes = access::bearerOrKey("content:write", "posts.write").bindInHandler(brandResource);
    routes
        .get("/api/seeds", access::bearerOrKey("content:read", "posts.read").bindInHandler(brandResource), &SeedRoutes::list, this,
             {.summary = "List the seeds of a brand", .problems = brands})
        .post("/api/seeds/share", writes, &SeedRoutes::share, this,
              {.summary = "Save an item for later posts", .problems = brands, .statuses = {201, 200}})
        .patch("/api/seeds/{seedId}", writes, &SeedRoutes::change, this, {.summary = "Change or archive a seed", .problems = brands});
}

BrandId SeedRoutes::brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                            const std::optional<std::string>& body) const
{
    auto session = _context.database().session();
    return requireBrand(session, caller, header, query, body);
}

Seed SeedRoutes::shown(Seed seed) const
{
    seed.score = trendScore(seed.metrics, seed.publishedAt, seed.observedAt, _context.clock().now());
    return seed;
}

Page<Seed> SeedRoutes::list(const Caller& caller, const BrandHeader& brand, const Query<SeedFilter>& filter, const Paging& paging) const
{
    auto session = _context.database().session();
    auto found = seedTable.select(caller.tenant());
    found.where(&Seed::brandId, requireBrand(session, caller, brand, filter->brandId));
    for (const auto& pattern : likePatterns(filter->q)) found.where("title_folded LIKE ? ESCAPE '\\'", pattern);
    if (filter->tag)
    {
        std::string json;
        appendJsonString(json, *filter->tag);
        found.where("replace(tags, ?, '') <> tags", json);
    }
    if (filter->archived)
        found.where("archived_at IS NOT NULL");
    else
        found.where("archived_at IS NULL");
    if (filter->sort == SeedSort::CreatedAt)
        found.orderBy(&Seed::createdAt, &Seed::seedId);
    else
        found.orderBy(descending(&Seed::createdAt), descending(&Seed::seedId));
    auto page = found.page(session, paging);
    for (auto& seed : page.items) seed = shown(std::move(seed));
    return page;
}

Created<Seed> SeedRoutes::share(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                const Body<SeedShare>& body) const
{
    const auto& caller = *request.caller;
    auto shared = _service.share(Doer::of(request), caller.tenant(), brandOf(caller, brand, choice->brandId, body->brandId), *body);
    return {shown(std::move(shared.seed)), {}, shared.existed};
}

Seed SeedRoutes::change(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<SeedId>& id,
                        const IfMatch& ifMatch, const Body<Patch<Seed>>& patch) const
{
    const auto& caller = *request.caller;
    return shown(_service.change(Doer::of(request), caller.tenant(), brandOf(caller, brand, choice->brandId), *id, ifMatch, *patch));
}

} // namespace portico::social
