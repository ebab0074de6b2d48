#pragma once

#include "trends/SourceItem.h"

namespace portico::social
{

/// A source item that someone of the team kept, for posts to come.
struct Seed : Versioned, FoundItem
{
    SeedId seedId;
    std::string sourceItemId;
    SourceItemKind kind = SourceItemKind::SharedSeed;
    /// At the time of the answer.
    double score = 0;
    std::string sharedBy;
    std::string note;
    std::int64_t useCount = 0;
    std::optional<Instant> lastUsedAt;
    std::optional<Instant> archivedAt;
    /// Only read from a PATCH.
    std::optional<bool> archived;

    std::string titleFolded;
};
constexpr auto schemaOf(const Seed*)
{
    using S = Seed;
    return describe(field<&S::seedId>().readOnly().column("id"), field<&S::sourceItemId>().readOnly(), field<&S::brandId>().readOnly(),
                    field<&S::kind>().readOnly().transient(), field<&S::title>().readOnly(), field<&S::summary>().readOnly(),
                    field<&S::url>().readOnly(), field<&S::source>().readOnly(), field<&S::language>().readOnly(),
                    field<&S::publishedAt>().readOnly(), field<&S::observedAt>().readOnly(), field<&S::metrics>().readOnly(),
                    field<&S::score>().readOnly().transient(), field<&S::tags>().maxItems(20).maxLength(50).trimmed(),
                    field<&S::dedupeKey>().readOnly(), field<&S::sharedBy>().readOnly(), field<&S::note>().trimmed().maxLength(1000),
                    field<&S::useCount>().readOnly(), field<&S::lastUsedAt>().readOnly(), field<&S::archivedAt>().readOnly(),
                    field<&S::archived>().writeOnly().transient(), field<&S::titleFolded>().columnOnly(), versioned<S>());
}

inline constexpr Table<Seed, BrandId, SeedId> seedTable{"seed", &Seed::brandId, &Seed::seedId};

} // namespace portico::social
