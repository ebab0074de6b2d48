#pragma once

#include "trends/SourceItem.h"

#include <vector>

namespace portico::social
{

/// Position of an item in the list of trends. Also the payload of its cursor.
struct TrendPlace
{
    Instant asOf{};
    /// Ten thousandths.
    std::int64_t score = 0;
    Instant observedAt{};
    SourceItemId sourceItemId;
};
constexpr auto schemaOf(const TrendPlace*)
{
    return describe(members<&TrendPlace::asOf, &TrendPlace::score, &TrendPlace::observedAt, &TrendPlace::sourceItemId>());
}

/// Filters of a brand's trends. Empty lists and texts select everything.
struct TrendChoice
{
    std::vector<SourceType> sources;
    std::string language;
    std::string tag;
    std::optional<Instant> observedFrom;
    double minScore = 0;
    bool byTime = false;
};

/// Score descending or time of observation descending, then the newest, then the id.
bool comesBefore(const TrendPlace& one, const TrendPlace& other, bool byTime);

/// All trends of a brand that match the filters, ranked at one instant.
std::vector<TrendPlace> rankedTrends(Session& session, Tenant tenant, const BrandId& brand, const TrendChoice& choice, Instant asOf);

} // namespace portico::social
