#pragma once

#include "common/BrandChoice.h"
#include "trends/TrendService.h"

#include "portico/Routes.h"

namespace portico::social
{

enum class TrendSort : std::uint8_t
{
    ScoreDescending,
    ObservedAtDescending
};
constexpr auto schemaOf(const TrendSort*)
{
    return portico::choices<TrendSort>({{"-score", TrendSort::ScoreDescending}, {"-observedAt", TrendSort::ObservedAtDescending}});
}

struct TrendFilter : BrandChoice
{
    std::vector<SourceItemKind> kind;
    std::vector<SourceType> source;
    std::optional<std::string> language;
    std::optional<double> minScore;
    std::optional<std::string> tag;
    std::optional<Instant> observedFrom;
    TrendSort sort = TrendSort::ScoreDescending;
};
constexpr auto schemaOf(const TrendFilter*)
{
    using F = TrendFilter;
    return describe(inherited<BrandChoice>(), members<&F::kind, &F::source>(), field<&F::language>().maxLength(35),
                    field<&F::minScore>().description("From 0 to 1"), field<&F::tag>().maxLength(50), field<&F::observedFrom>(),
                    field<&F::sort>());
}

/// Body that adds a source.
struct NewTrendSource
{
    std::optional<std::string> brandId;
    TrendSourceKind kind = TrendSourceKind::Rss;
    std::string name;
    std::string url;
    bool enabled = true;
};
constexpr auto schemaOf(const NewTrendSource*)
{
    using N = NewTrendSource;
    return describe(field<&N::brandId>().maxLength(64), field<&N::kind>().required(), field<&N::name>().required().trimmed().maxLength(120),
                    field<&N::url>().required().trimmed().maxLength(2048).matches(isWebUrl, "invalid_url", "an absolute http or https URL"),
                    field<&N::enabled>());
}

/// /api/trends and /api/trend-sources. Thread-safe.
class TrendRoutes
{
public:
    TrendRoutes(PluginContext& context, const TrendService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<SourceItem> list(const Caller& caller, const BrandHeader& brand, const Query<TrendFilter>& filter, const Paging& paging) const;
    Page<TrendSource> sources(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice, const Paging& paging) const;
    Created<TrendSource> add(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                             const Body<NewTrendSource>& body) const;
    TrendSource change(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<TrendSourceId>& id,
                       const IfMatch& ifMatch, const Body<Patch<TrendSource>>& patch) const;
    NoContent remove(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<TrendSourceId>& id,
                     const IfMatch& ifMatch) const;
    Reply<TrendSource> refresh(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                               const Path<TrendSourceId>& id) const;

private:
    BrandId brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                    const std::optional<std::string>& body = std::nullopt) const;
    TrendSource shown(TrendSource source, Tenant tenant) const;

    PluginContext& _context;
    const TrendService& _service;
};

} // namespace portico::social
