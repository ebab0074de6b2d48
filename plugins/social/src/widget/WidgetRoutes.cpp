#include "widget/WidgetRoutes.h"

#include "brands/Brand.h"
#include "common/BrandChoice.h"
#include "content/QueueCounts.h"
#include "widget/TileWords.h"

#include "portico/Plugin.h"
#include "portico/Text.h"
#include "portico/Url.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::int64_t shownItems = 5;
constexpr std::size_t longestTileTitle = 80;

WidgetItem tileItem(const ContentItem& content, const TileWords& words)
{
    WidgetItem item;
    item.id = content.contentId.text();
    item.title = content.text.empty() ? words.untitled : cleanText(content.text, longestTileTitle);
    item.subtitle = platformName(content.platform, words);
    item.timestamp = content.scheduledFor;
    item.status = content.queueState == "failed" ? "critical" : content.queueState == "pending" ? "warning" : "info";
    item.href = content.postId ? "/posts/" + content.postId->text() : withQuery("/approvals", {{"brand", content.brandId.text()}});
    return item;
}

struct Figures
{
    BrandId brandId;
    std::int64_t pending = 0, queued = 0, failed = 0, published = 0;
};

/// Returns a metric of all brands. It leads to the page of the brand that has all of it, else to a page of all brands.
WidgetMetric tileMetric(const std::vector<Figures>& brands, std::int64_t Figures::*figure, std::string id, std::string label,
                        std::string_view page, std::string_view pageOfAll)
{
    WidgetMetric metric;
    metric.id = std::move(id);
    metric.label = std::move(label);
    metric.href = page;
    std::int64_t sum = 0;
    for (const auto& each : brands)
    {
        if (each.*figure == 0) continue;
        if (brands.size() > 1) metric.href = sum == 0 ? withQuery(page, {{"brand", each.brandId.text()}}) : pageOfAll;
        sum += each.*figure;
    }
    metric.value = sum;
    return metric;
}

std::int64_t sumOf(const std::vector<Figures>& brands, std::int64_t Figures::*figure)
{
    std::int64_t sum = 0;
    for (const auto& each : brands) sum += each.*figure;
    return sum;
}
} // namespace

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("posts:read", "dashboard.read").bindInHandler(brandResource), &WidgetRoutes::show, this,
               {.summary = "Read the launchpad widget", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto now = _context.clock().now();
    const auto tenant = caller.tenant();
    auto widget = Widget::answering(*query, caller, "overview", _context.host().serviceId, now);
    const auto& words = tileWordsFor(query->locale);
    widget.title = words.title;
    widget.more = WidgetLink{words.open, "/overview"};
    auto snapshot = _context.database().snapshot();
    std::vector<BrandId> brands;
    for (const auto& brand : brandTable.select(tenant).orderBy(&Brand::nameFolded).all(snapshot))
        if (caller.reaches(brandResource, brand.brandId.text())) brands.push_back(brand.brandId);
    if (brands.empty())
    {
        widget.status = WidgetStatus::SetupRequired;
        widget.setup = WidgetSetup{words.brand, words.brandText, "/settings"};
        return widget.fit();
    }
    std::vector<Figures> figures;
    std::vector<ContentItem> items;
    for (const auto& brand : brands)
    {
        auto& own = figures.emplace_back(Figures{brand});
        for (const auto& [state, count] : queueCounts(snapshot, tenant, brand))
        {
            if (state.empty()) continue;
            auto& figure = state == "pending" ? own.pending : state == "failed" ? own.failed : own.queued;
            figure += count;
        }
        own.published = snapshot
                            .value<std::int64_t>("SELECT count(*) FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND "
                                                 "published_at >= $3",
                                                 tenant, brand, now - std::chrono::hours(24 * 7))
                            .value_or(0);
        for (auto& item : itemTable.select(tenant)
                              .where(&ContentItem::brandId, brand)
                              .where("queue_state <> '' AND queue_state IN ('failed', 'pending', 'queued', 'retrying')")
                              .orderBy(&ContentItem::scheduleOrder, &ContentItem::contentId)
                              .all(snapshot, shownItems))
            items.push_back(std::move(item));
    }
    std::ranges::stable_sort(items, {}, &ContentItem::scheduleOrder);
    std::ranges::stable_sort(items, {}, [](const ContentItem& item) { return item.queueState != "failed"; });
    for (const auto& item : items)
        if (widget.items.size() < static_cast<std::size_t>(shownItems)) widget.items.push_back(tileItem(item, words));
    constexpr std::string_view all = "/overview?brand=all";
    widget.metrics = {tileMetric(figures, &Figures::queued, "scheduled", words.scheduled, "/calendar", all),
                      tileMetric(figures, &Figures::pending, "pending", words.pending, "/approvals", "/approvals?brand=all"),
                      tileMetric(figures, &Figures::failed, "failed", words.failed, "/posts?status=failed", all),
                      tileMetric(figures, &Figures::published, "published_7d", words.published, "/posts?status=published", all)};
    const auto queued = sumOf(figures, &Figures::queued), pending = sumOf(figures, &Figures::pending),
               failed = sumOf(figures, &Figures::failed);
    widget.counts.attention = pending + failed;
    widget.summary = std::to_string(queued) + words.scheduledPart + ", " + std::to_string(pending) + words.pendingPart;
    if (failed > 0) widget.summary += ", " + std::to_string(failed) + words.failedPart;
    const WidgetAction write{"new", words.write, "/posts/new", "primary", "social.posts:write"};
    widget.actions = {write};
    if (items.empty())
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{words.nothing, words.nothingText, write};
    }
    return widget.fit();
}

} // namespace portico::social
