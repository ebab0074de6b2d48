#include "analytics/AnalyticsRoutes.h"

#include "analytics/PublishedList.h"
#include "content/Post.h"
#include "content/RecordBrand.h"

#include "portico/Json.h"

#include <algorithm>
#include <map>

namespace portico::social
{

namespace
{
void add(NumbersSum& sum, const NumbersRow& numbers)
{
    ++sum.posts;
    sum.likes += numbers.likes.value_or(0);
    sum.reposts += numbers.reposts.value_or(0);
    sum.replies += numbers.replies.value_or(0);
}

/// `1-09`: Monday, from nine to ten.
std::string weekdayHour(const TimeZone& zone, Instant at)
{
    const auto date = zone.dateOf(at);
    const auto weekday = std::chrono::weekday(std::chrono::sys_days(date.days())).iso_encoding();
    const auto hour = std::chrono::duration_cast<std::chrono::hours>(at - zone.startOf(date)).count();
    return std::to_string(weekday) + (hour < 10 ? "-0" : "-") + std::to_string(std::clamp<std::int64_t>(hour, 0, 23));
}

std::vector<std::string> keysOf(const PublishedItem& item, NumbersGroup group, const TimeZone& zone)
{
    switch (group)
    {
    case NumbersGroup::Day:
        return {zone.dateOf(item.numbers.publishedAt).text()};
    case NumbersGroup::Platform:
        return {std::string(toString(item.numbers.platform))};
    case NumbersGroup::Label:
        return item.labels;
    case NumbersGroup::WeekdayHour:
        return {weekdayHour(zone, item.numbers.publishedAt)};
    }
    return {};
}

/// Position of an item in a list. Also the payload of its cursor.
struct NumbersPlace
{
    std::int64_t value = 0;
    Instant publishedAt{};
    ContentId contentId;
};
constexpr auto schemaOf(const NumbersPlace*)
{
    return describe(members<&NumbersPlace::value, &NumbersPlace::publishedAt, &NumbersPlace::contentId>());
}

NumbersPlace placeOf(const NumbersRow& row, NumbersSort sort)
{
    const auto value = sort == NumbersSort::LikesDescending     ? row.likes
                       : sort == NumbersSort::RepostsDescending ? row.reposts
                       : sort == NumbersSort::RepliesDescending ? row.replies
                                                                : std::optional<std::int64_t>(0);
    return {value.value_or(-1), row.publishedAt, row.contentId};
}

bool numbersBefore(const NumbersPlace& one, const NumbersPlace& other)
{
    return std::tie(other.value, other.publishedAt, other.contentId) < std::tie(one.value, one.publishedAt, one.contentId);
}
} // namespace

void AnalyticsRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> brands{"400 brand_required", "400 brand_mismatch"};
    const auto reads = access::bearerOrKey("content:read", "analytics.read").bindInHandler(brandResource);
    routes
        .get("/api/posts/{postId}/metrics", access::bearer("posts:read"), &AnalyticsRoutes::ofPost, this,
             {.summary = "Read the metrics of a post", .execution = Execution::Long, .problems = brands})
        .get("/api/analytics/summary", reads, &AnalyticsRoutes::summary, this,
             {.summary = "Sum the metrics of published posts", .problems = brands})
        .get("/api/analytics/posts", reads, &AnalyticsRoutes::posts, this,
             {.summary = "List published posts with their metrics", .problems = brands});
}

PostNumbersAnswer AnalyticsRoutes::ofPost(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                          const Path<PostId>& id) const
{
    BrandId where;
    {
        auto session = _tools.context.database().session();
        where = brandOfRecord(session, caller, brand, choice->brandId, postTable, &Post::postId, *id);
        postTable.require(session, caller.tenant(), where, *id);
    }
    PostNumbersAnswer answer;
    for (const auto& row : _service.ofPost(caller.tenant(), where, *id))
        answer.targets.push_back({row.targetId, row.platform, row.likes, row.reposts, row.replies, row.fetchedAt});
    return answer;
}

AnalyticsSummary AnalyticsRoutes::summary(const Caller& caller, const BrandHeader& brand, const Query<AnalyticsQuery>& query) const
{
    auto snapshot = _tools.context.database().snapshot();
    const auto where = requireBrand(snapshot, caller, brand, query->brandId);
    const auto zone = _tools.zones.require(brandTable.require(snapshot, caller.tenant(), where).timeZone, "timeZone");
    const auto to = query->to ? *LocalDate::parse(*query->to) : zone.dateOf(_tools.context.clock().now());
    const auto from = query->from ? *LocalDate::parse(*query->from) : to.plusDays(-29);
    auto choice = rangeOf(zone, from, to);
    choice.platforms = query->platform;
    choice.label = query->label.value_or("");
    std::map<std::string, NumbersSum> groups;
    AnalyticsSummary summary{zone.name(), from.text(), to.text(), {}, {}};
    for (const auto& item : publishedItems(snapshot, caller.tenant(), where, choice))
    {
        add(summary.totals, item.numbers);
        for (const auto& key : keysOf(item, query->groupBy, zone)) add(groups[key], item.numbers);
    }
    for (auto& [key, sum] : groups)
    {
        sum.key = key;
        summary.groups.push_back(std::move(sum));
    }
    return summary;
}

Page<PublishedNumbers> AnalyticsRoutes::posts(const Caller& caller, const BrandHeader& brand, const Query<AnalyticsPostsQuery>& query,
                                              const Paging& paging) const
{
    auto snapshot = _tools.context.database().snapshot();
    const auto where = requireBrand(snapshot, caller, brand, query->brandId);
    const auto zone = _tools.zones.require(brandTable.require(snapshot, caller.tenant(), where).timeZone, "timeZone");
    const auto to = query->to ? *LocalDate::parse(*query->to) : zone.dateOf(_tools.context.clock().now());
    auto choice = rangeOf(zone, query->from ? *LocalDate::parse(*query->from) : to.plusDays(-29), to);
    choice.platforms = query->platform;
    choice.label = query->label.value_or("");
    auto items = publishedItems(snapshot, caller.tenant(), where, choice);
    const auto place = [&](const PublishedItem& item) { return placeOf(item.numbers, query->sort); };
    std::ranges::sort(items, numbersBefore, place);
    const auto behind = paging.cursor.empty() ? std::nullopt : std::optional(fromStoredJson<NumbersPlace>(paging.cursor));
    auto next = behind ? std::ranges::upper_bound(items, *behind, numbersBefore, place) : items.begin();
    Page<PublishedNumbers> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(items.size());
    for (; next != items.end() && page.items.size() < static_cast<std::size_t>(paging.limit); ++next)
    {
        const auto& row = next->numbers;
        page.items.push_back(
            {row.postId, row.contentId, row.platform, row.publishedAt, row.likes, row.reposts, row.replies, row.fetchedAt});
    }
    if (next != items.end() && !page.items.empty()) page.nextCursor = toJson(place(*std::prev(next)));
    return page;
}

} // namespace portico::social
