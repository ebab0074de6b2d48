#pragma once

#include "common/Ids.h"
#include "common/Platform.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>

namespace portico::social
{

/// Numbers of one published item.
struct NumbersRow
{
    ContentId contentId;
    BrandId brandId;
    PostId postId;
    TargetId targetId;
    Platform platform = Platform::Bluesky;
    Instant publishedAt{};
    std::optional<std::int64_t> likes, reposts, replies;
    std::optional<Instant> fetchedAt;
    /// Empty: it is not fetched again.
    std::optional<Instant> nextFetchAt;
};
constexpr auto schemaOf(const NumbersRow*)
{
    using R = NumbersRow;
    return describe(members<&R::contentId, &R::brandId, &R::postId, &R::targetId, &R::platform, &R::publishedAt, &R::likes, &R::reposts,
                            &R::replies, &R::fetchedAt, &R::nextFetchAt>());
}

inline constexpr Table numbersTable{"post_numbers", &NumbersRow::brandId, &NumbersRow::contentId};

/// Returns when numbers are fetched after an instant: 1 h, 6 h, 1, 3, 7 and 30 days after the publication; empty: never again.
std::optional<Instant> nextNumbersAt(Instant publishedAt, Instant now);

} // namespace portico::social
