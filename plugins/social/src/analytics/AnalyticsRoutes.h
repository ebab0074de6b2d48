#pragma once

#include "analytics/NumbersService.h"
#include "common/BrandChoice.h"

#include "portico/Routes.h"

namespace portico::social
{

/// Numbers of one target of a post; null if the network reports none.
struct TargetNumbers
{
    std::optional<TargetId> targetId;
    Platform platform = Platform::Bluesky;
    std::optional<std::int64_t> likes, reposts, replies;
    std::optional<Instant> fetchedAt;
};
constexpr auto schemaOf(const TargetNumbers*)
{
    using N = TargetNumbers;
    return describe(members<&N::targetId, &N::platform, &N::likes, &N::reposts, &N::replies, &N::fetchedAt>());
}

struct PostNumbersAnswer
{
    std::vector<TargetNumbers> targets;
};
constexpr auto schemaOf(const PostNumbersAnswer*) { return describe(field<&PostNumbersAnswer::targets>()); }

enum class NumbersGroup : std::uint8_t
{
    Day,
    Platform,
    Label,
    WeekdayHour
};
constexpr auto schemaOf(const NumbersGroup*)
{
    using enum NumbersGroup;
    return portico::choices<NumbersGroup>({{"day", Day}, {"platform", Platform}, {"label", Label}, {"weekday_hour", WeekdayHour}});
}

struct AnalyticsQuery : BrandChoice
{
    std::optional<std::string> from, to;
    std::vector<Platform> platform;
    std::optional<std::string> label;
    NumbersGroup groupBy = NumbersGroup::Day;
};
constexpr auto schemaOf(const AnalyticsQuery*)
{
    using Q = AnalyticsQuery;
    return describe(inherited<BrandChoice>(),
                    field<&Q::from>().date().description("First date in the brand's time zone; default: 29 days before `to`"),
                    field<&Q::to>().date().description("Last date, included; default: today"), field<&Q::platform>(),
                    field<&Q::label>().maxLength(50), field<&Q::groupBy>());
}

struct NumbersSum
{
    std::string key;
    std::int64_t posts = 0, likes = 0, reposts = 0, replies = 0;
};
constexpr auto schemaOf(const NumbersSum*)
{
    using S = NumbersSum;
    return describe(field<&S::key>().description("A date, a platform, a label, or a weekday from 1 and an hour (1-09)"),
                    members<&S::posts, &S::likes, &S::reposts, &S::replies>());
}

struct AnalyticsSummary
{
    std::string timeZone;
    std::string from;
    std::string to;
    std::vector<NumbersSum> groups;
    NumbersSum totals;
};
constexpr auto schemaOf(const AnalyticsSummary*)
{
    using S = AnalyticsSummary;
    return describe(field<&S::timeZone>(), field<&S::from>().date(), field<&S::to>().date(), members<&S::groups, &S::totals>());
}

enum class NumbersSort : std::uint8_t
{
    PublishedAtDescending,
    LikesDescending,
    RepostsDescending,
    RepliesDescending
};
constexpr auto schemaOf(const NumbersSort*)
{
    using enum NumbersSort;
    return portico::choices<NumbersSort>({{"-publishedAt", PublishedAtDescending},
                                          {"-likes", LikesDescending},
                                          {"-reposts", RepostsDescending},
                                          {"-replies", RepliesDescending}});
}

struct AnalyticsPostsQuery : BrandChoice
{
    std::optional<std::string> from, to;
    std::vector<Platform> platform;
    std::optional<std::string> label;
    NumbersSort sort = NumbersSort::PublishedAtDescending;
};
constexpr auto schemaOf(const AnalyticsPostsQuery*)
{
    using Q = AnalyticsPostsQuery;
    return describe(inherited<BrandChoice>(), field<&Q::from>().date(), field<&Q::to>().date(), field<&Q::platform>(),
                    field<&Q::label>().maxLength(50), field<&Q::sort>());
}

/// One published item with its numbers.
struct PublishedNumbers
{
    PostId postId;
    ContentId contentId;
    Platform platform = Platform::Bluesky;
    Instant publishedAt{};
    std::optional<std::int64_t> likes, reposts, replies;
    std::optional<Instant> fetchedAt;
};
constexpr auto schemaOf(const PublishedNumbers*)
{
    using N = PublishedNumbers;
    return describe(
        members<&N::postId, &N::contentId, &N::platform, &N::publishedAt, &N::likes, &N::reposts, &N::replies, &N::fetchedAt>());
}

/// /api/analytics and the numbers of one post. Thread-safe.
class AnalyticsRoutes
{
public:
    explicit AnalyticsRoutes(const ContentTools& tools) : _tools(tools), _service(tools) {}

    void start() { _service.start(); }
    void declare(Routes& routes);

    PostNumbersAnswer ofPost(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                             const Path<PostId>& id) const;
    AnalyticsSummary summary(const Caller& caller, const BrandHeader& brand, const Query<AnalyticsQuery>& query) const;
    Page<PublishedNumbers> posts(const Caller& caller, const BrandHeader& brand, const Query<AnalyticsPostsQuery>& query,
                                 const Paging& paging) const;

private:
    const ContentTools _tools;
    NumbersService _service;
};

} // namespace portico::social
