#include "trends/RankedTrends.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace portico::social
{

bool comesBefore(const TrendPlace& one, const TrendPlace& other, bool byTime)
{
    if (!byTime && one.score != other.score) return one.score > other.score;
    return std::tie(other.observedAt, one.sourceItemId) < std::tie(one.observedAt, other.sourceItemId);
}

std::vector<TrendPlace> rankedTrends(Session& session, Tenant tenant, const BrandId& brand, const TrendChoice& choice, Instant asOf)
{
    std::string tagJson;
    if (!choice.tag.empty()) appendJsonString(tagJson, foldCase(choice.tag));
    std::vector<TrendPlace> places;
    for (const auto& row : session.query(
             "SELECT id, source_type, language, published_at, observed_at, metrics, tags FROM source_item WHERE organization_id = $1 "
             "AND brand_id = $2 AND observed_at >= $3",
             tenant, brand, choice.observedFrom.value_or(Instant{})))
    {
        const auto type = parseEnum<SourceType>(row.text(1));
        if (!choice.sources.empty() && std::ranges::find(choice.sources, type) == choice.sources.end()) continue;
        const auto language = std::string(row.text(2));
        if (!choice.language.empty() && !foldCase(language).starts_with(foldCase(choice.language))) continue;
        if (!tagJson.empty() && foldCase(row.text(6)).find(tagJson) == std::string::npos) continue;
        const auto observedAt = row.get<Instant>(4);
        const auto score = trendScore(fromStoredJson<SourceMetrics>(row.text(5)), row.get<std::optional<Instant>>(3), observedAt, asOf);
        if (score < choice.minScore) continue;
        places.push_back({asOf, std::llround(score * 10'000), observedAt, row.get<SourceItemId>(0)});
    }
    std::ranges::sort(places, [&](const auto& one, const auto& other) { return comesBefore(one, other, choice.byTime); });
    return places;
}

} // namespace portico::social
