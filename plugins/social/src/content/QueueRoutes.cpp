#include "content/QueueRoutes.h"

#include "audit/AuditTrail.h"
#include "content/Deck.h"
#include "content/DeckPage.h"
#include "content/QueueCounts.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <map>
#include <utility>

namespace portico::social
{

namespace
{
/// Days of a rollup, at most.
constexpr int maxDays = 92;

std::map<ContentId, ContentItem> itemsAt(Session& session, Tenant tenant, const BrandId& brand, const std::vector<DeckPlace>& places)
{
    std::vector<ContentId> ids;
    for (const auto& place : places) ids.push_back(place.contentId);
    std::map<ContentId, ContentItem> items;
    for (auto& item : itemTable.select(tenant).where(&ContentItem::brandId, brand).whereIn(&ContentItem::contentId, ids).all(session))
        items.emplace(item.contentId, std::move(item));
    return items;
}

Reply<Rollups> replyWith(Rollups rollups)
{
    auto etag = '"' + sha256({toJson(rollups)}).hex().substr(0, 32) + '"';
    return {.record = std::move(rollups), .etag = std::move(etag)};
}
} // namespace

bool isVerifyChoice(std::string_view text) { return text == "events"; }

void QueueRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> brands{"400 brand_required", "400 brand_mismatch"};
    const auto reads = access::bearerOrKey("content:read", "posts.read").bindInHandler(brandResource);
    routes
        .get("/api/content-ops/queue", reads.orScope("calendar.read"), &QueueRoutes::queue, this,
             {.summary = "List pending, scheduled and failed items", .problems = brands})
        .get("/api/content-ops/deck", reads, &QueueRoutes::deck, this,
             {.summary = "List items that wait for approval, by rank", .problems = brands})
        .get("/api/content-ops/daily", access::bearerOrKey("content:read", "analytics.read").bindInHandler(brandResource),
             &QueueRoutes::daily, this, {.summary = "Count a brand's content by day", .problems = brands});
}

Page<ItemView, QueueExtra> QueueRoutes::queue(const Caller& caller, const BrandHeader& brand, const Query<QueueFilter>& filter,
                                              const Paging& paging) const
{
    // A key for the calendar reads the queue of a range of time.
    if (caller.credential == CredentialKind::ApiKey && !caller.hasScope("posts.read") && !(filter->dueFrom && filter->dueTo))
        throw Problem::forbidden("insufficient_scope", "With calendar.read, set the range with dueFrom and dueTo.");
    auto snapshot = _context.database().snapshot();
    const auto where = requireBrand(snapshot, caller, brand, filter->brandId);
    auto found = itemTable.select(caller.tenant());
    found.where(&ContentItem::brandId, where).where("queue_state <> '' AND queue_state <> 'publishing'");
    if (!filter->kind.empty()) found.whereIn(&ContentItem::kind, filter->kind);
    if (!filter->approvalState.empty()) found.whereIn(&ContentItem::approvalState, filter->approvalState);
    if (!filter->publishStatus.empty()) found.whereIn(&ContentItem::publishStatus, filter->publishStatus);
    if (!filter->platform.empty()) found.whereIn(&ContentItem::platform, filter->platform);
    if (filter->dueFrom) found.where("schedule_order >= ?", *filter->dueFrom);
    if (filter->dueTo) found.where("schedule_order < ?", *filter->dueTo);
    switch (filter->sort)
    {
    case QueueSort::ScheduledFor:
        found.orderBy(&ContentItem::scheduleOrder, &ContentItem::contentId);
        break;
    case QueueSort::ScheduledForDescending:
        found.orderBy(descending(&ContentItem::scheduleOrder), descending(&ContentItem::contentId));
        break;
    case QueueSort::CreatedAt:
        found.orderBy(&ContentItem::createdAt, &ContentItem::contentId);
        break;
    case QueueSort::CreatedAtDescending:
        found.orderBy(descending(&ContentItem::createdAt), descending(&ContentItem::contentId));
        break;
    }
    auto items = found.page(snapshot, paging);
    Page<ItemView, QueueExtra> page;
    page.nextCursor = std::move(items.nextCursor);
    page.total = items.total;
    auto counts = queueCounts(snapshot, caller.tenant(), where);
    page.extra.counts = {counts["pending"], counts["queued"], counts["retrying"], counts["verifying"], counts["failed"]};
    const auto rights = rightsOf(caller);
    for (const auto& item : items.items) page.items.push_back(viewOf(item, rights));
    return page;
}

Page<DeckCard, DeckExtra> QueueRoutes::deck(const Request& request, const BrandHeader& brand, const Query<DeckFilter>& filter,
                                            const Paging& paging) const
{
    const auto& caller = *request.caller;
    auto snapshot = _context.database().snapshot();
    const auto where = requireBrand(snapshot, caller, brand, filter->brandId);
    const auto behind = paging.cursor.empty() ? std::nullopt : std::optional(fromStoredJson<DeckPlace>(paging.cursor));
    const auto asOf = behind ? behind->asOf : std::chrono::floor<std::chrono::minutes>(filter->asOf.value_or(_context.clock().now()));
    const auto halfLife = brandTable.require(snapshot, caller.tenant(), where).deckHalfLifeHours;
    const DeckChoice choice{where, filter->platform, filter->kind, halfLife, asOf};
    const bool limited = std::ranges::any_of(request.queryParameters(), [](const auto& parameter) { return parameter.first == "limit"; });
    const auto limit = static_cast<std::size_t>(limited ? paging.limit : 20);
    auto places = deckBehind(snapshot, caller.tenant(), choice, behind, limit + 1);
    Page<DeckCard, DeckExtra> page;
    page.extra.asOf = asOf;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(rankedDeck(snapshot, caller.tenant(), choice).size());
    if (places.size() > limit)
    {
        places.resize(limit);
        page.nextCursor = toJson(places.back());
    }
    const auto items = itemsAt(snapshot, caller.tenant(), where, places);
    const auto rights = rightsOf(caller);
    for (const auto& place : places)
    {
        const auto item = items.find(place.contentId);
        if (item == items.end()) continue;
        const auto rank = deckRank(freshAt(item->second), item->second.scheduledFor, halfLife, asOf);
        page.items.push_back({rank.rank, rank.freshness, rank.urgency, viewOf(item->second, rights)});
    }
    return page;
}

Reply<Rollups> QueueRoutes::daily(const Caller& caller, const BrandHeader& brand, const Query<DailyQuery>& query) const
{
    auto snapshot = _context.database().snapshot();
    const auto where = requireBrand(snapshot, caller, brand, query->brandId);
    const auto zone = query->timeZone ? _zones.require(*query->timeZone, "timeZone")
                                      : _zones.require(brandTable.require(snapshot, caller.tenant(), where).timeZone, "timeZone");
    const auto to = query->to ? *LocalDate::parse(*query->to) : zone.dateOf(_context.clock().now());
    const auto from = query->from ? *LocalDate::parse(*query->from) : to.plusDays(-29);
    if (from > to) throw Problem::invalid("from", "wrong_order", "The first date is after the last one.");
    if ((to.days() - from.days()).count() >= maxDays) throw Problem::invalid("to", "too_many_days", "The range can span at most 92 days.");
    const auto tenant = caller.tenant();
    if (query->verify) return replyWith(countEvents(snapshot, tenant, where, query->platform, zone, from, to));
    const auto question = where.text() + ' ' + zone.name() + ' ' + _zones.version() + ' ' + from.text() + ' ' + to.text() + ' ' +
                          (query->platform ? std::string(toString(*query->platform)) : std::string());
    const auto chainEnd = audit::endOf(snapshot, tenant, where);
    if (auto kept = _kept.find(question, chainEnd)) return *std::move(kept);
    auto reply = replyWith(countItems(snapshot, tenant, where, query->platform, zone, from, to));
    _kept.keep(question, chainEnd, reply);
    return reply;
}

} // namespace portico::social
