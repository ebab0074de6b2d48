#include "analytics/NumbersService.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
constexpr std::array<std::chrono::hours, 6> fetchTimes = {std::chrono::hours(1),      std::chrono::hours(6),
                                                          std::chrono::hours(24),     std::chrono::hours(24 * 3),
                                                          std::chrono::hours(24 * 7), std::chrono::hours(24 * 30)};
constexpr std::int64_t maxAtOnce = 1'000;

NumbersRow rowOf(const ContentItem& item, Instant now)
{
    NumbersRow row;
    row.contentId = item.contentId;
    row.brandId = item.brandId;
    row.postId = *item.postId;
    row.targetId = item.targetId.value_or(TargetId{});
    row.platform = item.platform;
    row.publishedAt = item.publishedAt.value_or(now);
    row.nextFetchAt = nextNumbersAt(row.publishedAt, now);
    return row;
}
} // namespace

std::optional<Instant> nextNumbersAt(Instant publishedAt, Instant now)
{
    for (const auto after : fetchTimes)
        if (publishedAt + after > now) return publishedAt + after;
    return std::nullopt;
}

void NumbersService::start()
{
    auto& jobs = _tools.context.jobs();
    jobs.handle<FetchNumbers>(fetchJob,
                              [this](const FetchNumbers& payload, const Job&)
                              {
                                  std::optional<std::string> owner;
                                  {
                                      auto session = _tools.context.database().session();
                                      owner = session.value<std::string>("SELECT organization_id FROM post_numbers WHERE content_id = $1",
                                                                         payload.contentId);
                                  }
                                  if (owner) fetch(Tenant::fromStored(*owner), payload.brandId, payload.contentId);
                              });
    jobs.waitsForServers(fetchJob);
    jobs.handle(sweepJob, [this](const Job&) { sweep(); });
    jobs.every(sweepJob, std::chrono::minutes(5));
}

void NumbersService::note(Transaction& transaction) const
{
    const auto now = _tools.context.clock().now();
    std::vector<std::pair<std::string, ContentId>> found;
    for (const auto& row : transaction.query(
             "SELECT organization_id, id FROM content_item i WHERE publish_status = 'published' AND published_at > $1 AND deleted_at IS "
             "NULL "
             "AND NOT EXISTS (SELECT 1 FROM post_numbers n WHERE n.organization_id = i.organization_id AND n.brand_id = i.brand_id AND "
             "n.content_id = i.id) ORDER BY published_at LIMIT $2",
             now - fetchTimes.back(), maxAtOnce))
        found.emplace_back(row.get<std::string>(0), row.get<ContentId>(1));
    for (const auto& [organization, id] : found)
    {
        const auto tenant = Tenant::fromStored(organization);
        if (const auto item = itemTable.select(tenant).where(&ContentItem::contentId, id).first(transaction); item && item->postId)
            numbersTable.insertIfAbsent(transaction, tenant, rowOf(*item, now));
    }
}

void NumbersService::sweep() const
{
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            note(transaction);
            std::vector<FetchNumbers> due;
            for (const auto& row : transaction.query("SELECT brand_id, content_id FROM post_numbers WHERE next_fetch_at IS NOT NULL AND "
                                                     "next_fetch_at <= $1 ORDER BY next_fetch_at LIMIT $2",
                                                     _tools.context.clock().now(), maxAtOnce))
                due.push_back({row.get<BrandId>(0), row.get<ContentId>(1)});
            for (const auto& one : due)
                _tools.context.jobs().enqueue(transaction, fetchJob, one, {.dedupeKey = "numbers:" + one.contentId.text()});
        });
}

void NumbersService::fetch(Tenant tenant, const BrandId& brand, const ContentId& id) const
{
    std::optional<ContentItem> item;
    {
        auto session = _tools.context.database().session();
        item = itemTable.find(session, tenant, brand, id);
    }
    const auto now = _tools.context.clock().now();
    std::optional<PostNumbers> numbers;
    auto* network = item ? _tools.networks.find(item->platform) : nullptr;
    if (network != nullptr && item->integrationId && item->result && !item->result->platformPostId.empty())
    {
        const auto opened = _tools.accounts.fresh(tenant, brand, *item->integrationId);
        if (opened.state == OpenedAccount::State::Ready)
            numbers = network->numbers(opened.account, {item->result->platformPostId, item->result->platformUrl, {}});
    }
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            auto row = numbersTable.findForUpdate(transaction, tenant, brand, id);
            if (!row && !item) return;
            const bool isNew = !row;
            if (isNew) row = rowOf(*item, now);
            row->nextFetchAt = item ? nextNumbersAt(row->publishedAt, now) : std::nullopt;
            if (numbers)
            {
                row->likes = numbers->likes;
                row->reposts = numbers->reposts;
                row->replies = numbers->replies;
                row->fetchedAt = now;
            }
            if (isNew)
                numbersTable.insertIfAbsent(transaction, tenant, *row);
            else
                numbersTable.update(transaction, tenant, *row);
        });
}

std::vector<NumbersRow> NumbersService::ofPost(Tenant tenant, const BrandId& brand, const PostId& post) const
{
    const auto read = [&]
    {
        auto session = _tools.context.database().session();
        return numbersTable.select(tenant)
            .where(&NumbersRow::brandId, brand)
            .where(&NumbersRow::postId, post)
            .orderBy(&NumbersRow::contentId)
            .all(session);
    };
    std::vector<ContentItem> items;
    {
        auto session = _tools.context.database().session();
        items = itemTable.select(tenant).where(&ContentItem::brandId, brand).where(&ContentItem::postId, post).all(session);
    }
    const auto known = read();
    const auto now = _tools.context.clock().now();
    for (const auto& item : items)
    {
        if (item.publishStatus != PublishStatus::Published) continue;
        const auto row = std::ranges::find(known, item.contentId, &NumbersRow::contentId);
        if (row == known.end() || !row->fetchedAt || now - *row->fetchedAt >= freshness) fetch(tenant, brand, item.contentId);
    }
    return read();
}

} // namespace portico::social
