#pragma once

#include "common/BrandChoice.h"
#include "trends/SeedService.h"

#include "portico/Routes.h"

namespace portico::social
{

enum class SeedSort : std::uint8_t
{
    CreatedAtDescending,
    CreatedAt
};
constexpr auto schemaOf(const SeedSort*)
{
    return portico::choices<SeedSort>({{"-createdAt", SeedSort::CreatedAtDescending}, {"createdAt", SeedSort::CreatedAt}});
}

struct SeedFilter : BrandChoice
{
    std::string q;
    std::optional<std::string> tag;
    bool archived = false;
    SeedSort sort = SeedSort::CreatedAtDescending;
};
constexpr auto schemaOf(const SeedFilter*)
{
    using F = SeedFilter;
    return describe(inherited<BrandChoice>(), field<&F::q>().maxLength(200).description("Words to find in the title"),
                    field<&F::tag>().maxLength(50), field<&F::archived>().description("Return archived seeds instead of active ones"),
                    field<&F::sort>());
}

/// /api/seeds. Thread-safe.
class SeedRoutes
{
public:
    SeedRoutes(PluginContext& context, const SeedService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<Seed> list(const Caller& caller, const BrandHeader& brand, const Query<SeedFilter>& filter, const Paging& paging) const;
    Created<Seed> share(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                        const Body<SeedShare>& body) const;
    Seed change(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<SeedId>& id,
                const IfMatch& ifMatch, const Body<Patch<Seed>>& patch) const;

private:
    BrandId brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                    const std::optional<std::string>& body = std::nullopt) const;
    Seed shown(Seed seed) const;

    PluginContext& _context;
    const SeedService& _service;
};

} // namespace portico::social
