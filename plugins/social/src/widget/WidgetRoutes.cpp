#include "widget/WidgetRoutes.h"

#include "brands/Brand.h"
#include "common/BrandChoice.h"
#include "content/QueueCounts.h"

#include "portico/Plugin.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::int64_t shownItems = 5;
constexpr std::size_t longestTileTitle = 80;

WidgetMetric tileMetric(std::string id, std::string label, std::int64_t value, std::string href)
{
    WidgetMetric metric;
    metric.id = std::move(id);
    metric.label = std::move(label);
    metric.value = value;
    metric.href = std::move(href);
    return metric;
}

WidgetItem tileItem(const ContentItem& content)
{
    WidgetItem item;
    item.id = content.contentId.text();
    item.title = content.text.empty() ? "A post without text" : cleanText(content.text, longestTileTitle);
    item.subtitle = toString(content.platform);
    item.timestamp = content.scheduledFor;
    item.status = content.queueState == "failed" ? "critical" : content.queueState == "pending" ? "warning" : "info";
    item.href = content.postId ? "/posts/" + content.postId->text() : "/approvals";
    return item;
}

struct Figures
{
    std::int64_t pending = 0, queued = 0, failed = 0, published = 0;
};
} // namespace

void WidgetRoutes::declare(Routes& routes)
{
    routes.get("/api/widget", access::bearerOrKey("posts:read", "dashboard.read").bindInHandler(brandResource), &WidgetRoutes::show, this,
               {.summary = "The tile of the launchpad", .problems = {"404 widget_not_found"}});
}

Widget WidgetRoutes::show(const Caller& caller, const Query<WidgetQuery>& query) const
{
    const auto now = _context.clock().now();
    const auto tenant = caller.tenant();
    auto widget = Widget::answering(*query, caller, "overview", _context.host().serviceId, now);
    widget.title = "Posts";
    widget.more = WidgetLink{"Open Social", "/overview"};
    auto snapshot = _context.database().snapshot();
    std::vector<BrandId> brands;
    for (const auto& brand : brandTable.select(tenant).orderBy(&Brand::nameFolded).all(snapshot))
        if (caller.reaches(brandResource, brand.brandId.text())) brands.push_back(brand.brandId);
    if (brands.empty())
    {
        widget.status = WidgetStatus::SetupRequired;
        widget.setup = WidgetSetup{"Create a brand", "A brand combines accounts, posts and approvers.", "/settings"};
        return widget.fit();
    }
    Figures figures;
    std::vector<ContentItem> items;
    for (const auto& brand : brands)
    {
        for (const auto& [state, count] : queueCounts(snapshot, tenant, brand))
        {
            if (state.empty()) continue;
            auto& figure = state == "pending" ? figures.pending : state == "failed" ? figures.failed : figures.queued;
            figure += count;
        }
        figures.published += snapshot
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
        if (widget.items.size() < static_cast<std::size_t>(shownItems)) widget.items.push_back(tileItem(item));
    widget.metrics = {tileMetric("scheduled", "Scheduled", figures.queued, "/calendar"),
                      tileMetric("pending", "Waiting for approval", figures.pending, "/approvals"),
                      tileMetric("failed", "Failed", figures.failed, "/posts?status=failed"),
                      tileMetric("published_7d", "Published in the last 7 days", figures.published, "/posts?status=published")};
    widget.counts.attention = figures.pending + figures.failed;
    widget.summary = std::to_string(figures.queued) + " scheduled, " + std::to_string(figures.pending) + " waiting for approval";
    if (figures.failed > 0) widget.summary += ", " + std::to_string(figures.failed) + " failed";
    const WidgetAction write{"new", "New post", "/posts/new", "primary", "social.posts:write"};
    widget.actions = {write};
    if (items.empty())
    {
        widget.status = WidgetStatus::Empty;
        widget.emptyState = WidgetEmptyState{"Nothing is scheduled", "Write the next post.", write};
    }
    return widget.fit();
}

} // namespace portico::social
