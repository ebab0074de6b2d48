#include "trends/TrendService.h"

#include "brands/Brand.h"
#include "networks/NetworkCalls.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

namespace
{
constexpr std::chrono::hours itemLife{24 * 30};
constexpr std::int64_t maxItems = 5'000;
constexpr std::chrono::hours longestPause{24};
constexpr std::int64_t sweepSources = 1'000;

/// A part of the interval of up to a tenth, so that sources do not come due together.
std::chrono::milliseconds jitter(std::chrono::milliseconds of)
{
    const auto bytes = randomBytes(1);
    return of * static_cast<unsigned char>(bytes[0]) / 2'560;
}

/// Returns the next fetch after consecutive faults: 15 minutes, doubled after each fault, at most a day.
Instant nextFetch(const TrendSource& source, std::int64_t faults, const std::optional<Instant>& notBefore, Instant now)
{
    (void)source;
    auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(TrendService::interval);
    for (std::int64_t i = 0; i < faults && wait < longestPause; ++i) wait *= 2;
    wait = std::min(wait, std::chrono::duration_cast<std::chrono::milliseconds>(longestPause));
    const auto next = now + wait + jitter(wait);
    return notBefore ? std::max(*notBefore, next) : next;
}
} // namespace

std::int64_t itemsOf(Session& session, Tenant tenant, const TrendSource& source)
{
    return *session.value<std::int64_t>(
        "SELECT count(*) FROM source_item WHERE organization_id = $1 AND brand_id = $2 AND trend_source_id = $3", tenant, source.brandId,
        source.trendSourceId.text());
}

void TrendService::start()
{
    auto& jobs = _context.jobs();
    jobs.handle<FetchTrends>(fetchJob,
                             [this](const FetchTrends& payload, const Job&)
                             {
                                 std::optional<std::string> owner;
                                 {
                                     auto session = _context.database().session();
                                     owner = session.value<std::string>("SELECT organization_id FROM trend_source WHERE id = $1",
                                                                        payload.trendSourceId);
                                 }
                                 if (owner) fetch(Tenant::fromStored(*owner), payload.brandId, payload.trendSourceId);
                             });
    jobs.waitsForServers(fetchJob);
    jobs.handle(sweepJob, [this](const Job&) { sweep(); });
    jobs.every(sweepJob, std::chrono::minutes(1));
}

void TrendService::requireAddress(const TrendSource& source) const
{
    if (source.kind == TrendSourceKind::BlueskyFeed)
    {
        if (!isBlueskyFeed(source.url))
            throw Problem::invalid("url", "invalid_url", "Expected a feed such as https://bsky.app/profile/bsky.app/feed/whats-hot.");
        return;
    }
    if (!source.url.starts_with("https://") && !_context.http().isAllowedByOperator(source.url))
        throw Problem::invalid("url", "https_required", "Expected an https URL.");
    _context.http().requireAllowed(source.url);
}

TrendSource TrendService::add(Tenant tenant, const BrandId& brand, TrendSource source) const
{
    requireAddress(source);
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            const auto count = transaction.value<std::int64_t>(
                "SELECT count(*) FROM trend_source WHERE organization_id = $1 AND brand_id = $2", tenant, brand);
            if (*count >= maxTrendSources) throw Problem::conflict("conflict", "A brand has at most 50 sources: delete one first.");
            source.brandId = brand;
            source.nextFetchAt = now + TrendService::interval;
            auto made = trendSourceTable.create(transaction, tenant, std::move(source), {now});
            if (made.enabled)
                _context.jobs().enqueue(transaction, fetchJob, FetchTrends{brand, made.trendSourceId},
                                        {.dedupeKey = "trends:" + made.trendSourceId.text()});
            return made;
        });
}

TrendSource TrendService::change(Tenant tenant, const BrandId& brand, const TrendSourceId& id, const IfMatch& ifMatch,
                                 const Patch<TrendSource>& patch) const
{
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            return trendSourceTable.change(transaction, tenant, brand, id, ifMatch, {now},
                                           [&](TrendSource& source)
                                           {
                                               const auto before = source;
                                               patch.applyTo(source);
                                               if (source.url != before.url)
                                               {
                                                   requireAddress(source);
                                                   source.entityTag.clear();
                                                   source.lastModified.clear();
                                               }
                                               if (source.url != before.url || (source.enabled && !before.enabled))
                                               {
                                                   source.nextFetchAt = now;
                                                   source.faults = 0;
                                               }
                                           });
        });
}

void TrendService::remove(Tenant tenant, const BrandId& brand, const TrendSourceId& id, const IfMatch& ifMatch) const
{
    _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            trendSourceTable.remove(transaction, tenant, brand, id, ifMatch);
            transaction.execute("DELETE FROM source_item WHERE organization_id = $1 AND brand_id = $2 AND trend_source_id = $3", tenant,
                                brand, id.text());
        });
}

TrendSource TrendService::refresh(Tenant tenant, const BrandId& brand, const TrendSourceId& id) const
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            auto source = trendSourceTable.require(transaction, tenant, brand, id);
            _context.jobs().enqueue(transaction, fetchJob, FetchTrends{brand, id}, {.dedupeKey = "trends:" + id.text()});
            return source;
        });
}

void TrendService::sweep() const
{
    std::vector<FetchTrends> due;
    {
        auto session = _context.database().session();
        for (const auto& row :
             session.query("SELECT brand_id, id FROM trend_source WHERE enabled AND next_fetch_at <= $1 ORDER BY next_fetch_at LIMIT $2",
                           _context.clock().now(), sweepSources))
            due.push_back({row.get<BrandId>(0), row.get<TrendSourceId>(1)});
    }
    _context.database().transact(
        [&](Transaction& transaction)
        {
            for (const auto& one : due)
                _context.jobs().enqueue(transaction, fetchJob, one, {.dedupeKey = "trends:" + one.trendSourceId.text()});
            transaction.execute("DELETE FROM source_item WHERE observed_at < $1", _context.clock().now() - itemLife);
        });
}

void TrendService::fetch(Tenant tenant, const BrandId& brand, const TrendSourceId& id) const
{
    const auto source = [&]
    {
        auto session = _context.database().session();
        return trendSourceTable.find(session, tenant, brand, id);
    }();
    if (!source || !source->enabled) return;
    auto found = _reader.fetch(*source);
    const auto now = _context.clock().now();
    _context.database().transact(
        [&](Transaction& transaction)
        {
            // The brand may have gone to another organization, and the source may have been changed or deleted, during the fetch.
            if (!brandTable.exists(transaction, tenant, brand)) return;
            audit::lock(transaction, tenant, brand);
            const auto current = trendSourceTable.findForUpdate(transaction, tenant, brand, id);
            if (!current || current->url != source->url) return;
            const auto faults = found.fault.empty() ? 0 : current->faults + 1;
            transaction.execute(
                "UPDATE trend_source SET last_fetched_at = $4, last_error = $5, next_fetch_at = $6, faults = $7, entity_tag = $8, "
                "last_modified = $9 WHERE organization_id = $1 AND brand_id = $2 AND id = $3",
                tenant, brand, id, now, found.fault.empty() ? std::optional<std::string>() : std::optional(cleanText(found.fault, 300)),
                nextFetch(*current, faults, found.notBefore, now), faults, found.unchanged ? current->entityTag : found.entityTag,
                found.unchanged ? current->lastModified : found.lastModified);
            store(transaction, tenant, *current, std::move(found.items), now);
            prune(transaction, tenant, brand, now);
        });
}

void TrendService::store(Transaction& transaction, Tenant tenant, const TrendSource& source, std::vector<SourceItem> items,
                         Instant now) const
{
    for (auto& item : items)
    {
        item.brandId = source.brandId;
        item.source = {*parseEnum<SourceType>(toString(source.kind)), source.name, source.trendSourceId.text()};
        item.sourceType = item.source.type;
        item.trendSourceId = source.trendSourceId.text();
        item.dedupeKey = dedupeKeyOf(item.url, item.title);
        const auto known = sourceItemTable.select(tenant)
                               .where(&SourceItem::brandId, source.brandId)
                               .where(&SourceItem::dedupeKey, item.dedupeKey)
                               .first(transaction);
        if (!known)
        {
            item.sourceItemId = SourceItemId::make(now);
            item.observedAt = item.measuredAt = now;
            sourceItemTable.insert(transaction, tenant, item);
            continue;
        }
        auto after = *known;
        // Another source of the brand had it first.
        if (known->trendSourceId != item.trendSourceId) continue;
        if (item.source.type != SourceType::Rss)
        {
            const auto hours = std::chrono::duration<double, std::ratio<3600>>(now - known->measuredAt).count();
            const auto grown = item.metrics.mentions + item.metrics.engagement - known->metrics.mentions - known->metrics.engagement;
            if (item.metrics.velocity == 0 && hours > 0)
                item.metrics.velocity = static_cast<std::int64_t>(std::max(0.0, static_cast<double>(grown) / hours));
            after.metrics = item.metrics;
            after.measuredAt = now;
        }
        after.title = item.title;
        after.summary = item.summary;
        sourceItemTable.update(transaction, tenant, after);
    }
}

void TrendService::prune(Transaction& transaction, Tenant tenant, const BrandId& brand, Instant) const
{
    const auto oldest = transaction.value<Instant>(
        "SELECT observed_at FROM source_item WHERE organization_id = $1 AND brand_id = $2 ORDER BY observed_at DESC LIMIT 1 OFFSET $3",
        tenant, brand, maxItems - 1);
    if (!oldest) return;
    transaction.execute("DELETE FROM source_item WHERE organization_id = $1 AND brand_id = $2 AND observed_at < $3", tenant, brand,
                        *oldest);
}

} // namespace portico::social
