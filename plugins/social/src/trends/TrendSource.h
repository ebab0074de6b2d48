#pragma once

#include "common/Ids.h"

#include "portico/Table.h"
#include "portico/Text.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::social
{

/// Form of a source.
enum class TrendSourceKind : std::uint8_t
{
    Rss,
    MastodonTrends,
    BlueskyFeed
};
constexpr auto schemaOf(const TrendSourceKind*)
{
    using enum TrendSourceKind;
    return portico::choices<TrendSourceKind>({{"rss", Rss}, {"mastodon_trends", MastodonTrends}, {"bluesky_feed", BlueskyFeed}});
}

/// A feed that the service reads for a brand.
struct TrendSource : Versioned
{
    TrendSourceId trendSourceId;
    BrandId brandId;
    TrendSourceKind kind = TrendSourceKind::Rss;
    std::string name;
    std::string url;
    bool enabled = true;
    std::optional<Instant> lastFetchedAt;
    /// Why the last fetch failed; empty: it did not.
    std::optional<std::string> lastError;
    /// Items that are there now; filled in where the record is shown.
    std::int64_t itemCount = 0;

    Instant nextFetchAt{};
    /// Fetches that failed since the last one that did not.
    std::int64_t faults = 0;
    /// Validators of the last answer, for a conditional request.
    std::string entityTag;
    std::string lastModified;
};
constexpr auto schemaOf(const TrendSource*)
{
    using S = TrendSource;
    return describe(field<&S::trendSourceId>().readOnly().column("id"), field<&S::brandId>().readOnly(), field<&S::kind>().readOnly(),
                    field<&S::name>().trimmed().maxLength(120),
                    field<&S::url>().trimmed().maxLength(2048).matches(isWebUrl, "invalid_url", "an absolute http or https URL"),
                    field<&S::enabled>(), field<&S::lastFetchedAt>().readOnly(), field<&S::lastError>().readOnly(),
                    field<&S::itemCount>().readOnly().transient(), field<&S::nextFetchAt>().columnOnly(), field<&S::faults>().columnOnly(),
                    field<&S::entityTag>().columnOnly(), field<&S::lastModified>().columnOnly(), versioned<S>());
}

inline constexpr Table trendSourceTable{"trend_source", &TrendSource::brandId, &TrendSource::trendSourceId};

} // namespace portico::social
