#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Kind of an item's source.
enum class SourceType : std::uint8_t
{
    Rss,
    MastodonTrends,
    BlueskyFeed,
    Manual,
    Api
};
constexpr auto schemaOf(const SourceType*)
{
    using enum SourceType;
    return portico::choices<SourceType>(
        {{"rss", Rss}, {"mastodon_trends", MastodonTrends}, {"bluesky_feed", BlueskyFeed}, {"manual", Manual}, {"api", Api}});
}

enum class SourceItemKind : std::uint8_t
{
    Trend,
    SharedSeed
};
constexpr auto schemaOf(const SourceItemKind*)
{
    return portico::choices<SourceItemKind>({{"trend", SourceItemKind::Trend}, {"shared_seed", SourceItemKind::SharedSeed}});
}

struct ItemSource
{
    SourceType type = SourceType::Manual;
    std::string name;
    /// Id of the trend source; empty for an entered item.
    std::string id;
    bool operator==(const ItemSource&) const = default;
};
constexpr auto schemaOf(const ItemSource*) { return describe(members<&ItemSource::type, &ItemSource::name, &ItemSource::id>()); }

struct SourceMetrics
{
    std::int64_t mentions = 0;
    std::int64_t engagement = 0;
    /// Growth of mentions and engagement per hour.
    std::int64_t velocity = 0;
    bool operator==(const SourceMetrics&) const = default;
};
constexpr auto schemaOf(const SourceMetrics*)
{
    return describe(members<&SourceMetrics::mentions, &SourceMetrics::engagement>(),
                    field<&SourceMetrics::velocity>().description("Growth per hour"));
}

/// A topic that people talk about.
struct FoundItem
{
    BrandId brandId;
    std::string title;
    std::string summary;
    std::string url;
    ItemSource source;
    std::string language;
    std::optional<Instant> publishedAt;
    Instant observedAt{};
    SourceMetrics metrics;
    std::vector<std::string> tags;
    std::string dedupeKey;
};

/// The item as a source of the brand shows it.
struct SourceItem : FoundItem
{
    SourceItemId sourceItemId;
    SourceItemKind kind = SourceItemKind::Trend;
    /// From 0 to 1, at the time of the answer.
    double score = 0;

    SourceType sourceType = SourceType::Manual;
    std::string trendSourceId;
    Instant measuredAt{};
};
constexpr auto schemaOf(const SourceItem*)
{
    using I = SourceItem;
    return describe(field<&I::sourceItemId>().column("id"),
                    members<&I::brandId, &I::kind, &I::title, &I::summary, &I::url, &I::source, &I::language, &I::publishedAt,
                            &I::observedAt, &I::metrics>(),
                    field<&I::score>().transient().description("Score from 0 to 1 at the time of the response"),
                    members<&I::tags, &I::dedupeKey>(), field<&I::sourceType>().columnOnly(), field<&I::trendSourceId>().columnOnly(),
                    field<&I::measuredAt>().columnOnly());
}

inline constexpr Table<SourceItem, BrandId, SourceItemId> sourceItemTable{"source_item", &SourceItem::brandId, &SourceItem::sourceItemId};

/// Returns 0.5 × 2^(-age/24 h) + 0.3 × min(1, log10(1 + mentions + engagement)/6) + 0.2 × min(1, velocity/100), with four decimals.
double trendScore(const SourceMetrics& metrics, std::optional<Instant> publishedAt, Instant observedAt, Instant asOf);

/// Returns what two items with the same content have in common: a hash of the URL without fragment and tracking parameters, else of the
/// folded title.
std::string dedupeKeyOf(std::string_view url, std::string_view title);

} // namespace portico::social
