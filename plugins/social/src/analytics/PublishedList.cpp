#include "analytics/PublishedList.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::int64_t maxCounted = 5'000;
constexpr int longestRange = 366;

struct LabelList
{
    std::vector<std::string> labels;
};
constexpr auto schemaOf(const LabelList*) { return describe(field<&LabelList::labels>()); }
} // namespace

std::vector<PublishedItem> publishedItems(Session& session, Tenant tenant, const BrandId& brand, const PublishedChoice& choice)
{
    std::vector<PublishedItem> found;
    for (const auto& row : session.query(
             "SELECT i.id, i.post_id, i.target_id, i.platform, i.published_at, n.likes, n.reposts, n.replies, n.fetched_at, p.labels FROM "
             "content_item i JOIN post p ON p.organization_id = i.organization_id AND p.brand_id = i.brand_id AND p.id = i.post_id LEFT "
             "JOIN "
             "post_numbers n ON n.organization_id = i.organization_id AND n.brand_id = i.brand_id AND n.content_id = i.id WHERE "
             "i.organization_id = $1 AND i.brand_id = $2 AND i.publish_status = 'published' AND i.published_at >= $3 AND i.published_at < "
             "$4 "
             "AND i.deleted_at IS NULL ORDER BY i.published_at DESC, i.id DESC LIMIT $5",
             tenant, brand, choice.from, choice.until, maxCounted))
    {
        PublishedItem item;
        item.numbers.contentId = row.get<ContentId>(0);
        item.numbers.brandId = brand;
        item.numbers.postId = row.get<PostId>(1);
        item.numbers.platform = *parseEnum<Platform>(row.text(3));
        item.numbers.publishedAt = row.get<Instant>(4);
        item.numbers.likes = row.get<std::optional<std::int64_t>>(5);
        item.numbers.reposts = row.get<std::optional<std::int64_t>>(6);
        item.numbers.replies = row.get<std::optional<std::int64_t>>(7);
        item.numbers.fetchedAt = row.get<std::optional<Instant>>(8);
        item.labels = fromStoredJson<LabelList>(R"({"labels":)" + std::string(row.text(9)) + "}").labels;
        if (!choice.platforms.empty() && std::ranges::find(choice.platforms, item.numbers.platform) == choice.platforms.end()) continue;
        if (!choice.label.empty() && std::ranges::find(item.labels, choice.label) == item.labels.end()) continue;
        found.push_back(std::move(item));
    }
    return found;
}

PublishedChoice rangeOf(const TimeZone& zone, LocalDate from, LocalDate to)
{
    if (from > to) throw Problem::invalid("from", "wrong_order", "The first date is after the last one.");
    if ((to.days() - from.days()).count() >= longestRange)
        throw Problem::invalid("to", "too_many_days", "The range can span at most 366 days.");
    return {zone.startOf(from), zone.startOf(to.plusDays(1)), {}, {}};
}

} // namespace portico::social
