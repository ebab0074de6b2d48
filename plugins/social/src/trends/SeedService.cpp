#include "trends/SeedService.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

namespace
{
Seed seedOf(const SourceItem& item)
{
    Seed seed;
    static_cast<FoundItem&>(seed) = item;
    seed.sourceItemId = item.sourceItemId.text();
    seed.titleFolded = fold(item.title);
    return seed;
}
} // namespace

SourceItem sourceItemOf(const EnteredItem& entered, bool byKey, Instant now)
{
    SourceItem item;
    item.sourceItemId = SourceItemId::make(now);
    item.kind = SourceItemKind::SharedSeed;
    item.title = entered.title;
    item.summary = entered.summary;
    item.url = entered.url;
    item.source = {byKey ? SourceType::Api : SourceType::Manual, byKey ? "api" : "manual", {}};
    item.language = entered.language;
    item.publishedAt = entered.publishedAt;
    item.observedAt = item.measuredAt = now;
    item.tags = entered.tags;
    item.dedupeKey = dedupeKeyOf(item.url, item.title);
    return item;
}

SeedService::Shared SeedService::share(const Doer& doer, Tenant tenant, const BrandId& brand, const SeedShare& share) const
{
    if (share.sourceItemId.has_value() == share.item.has_value())
        throw Problem::invalid("sourceItemId", "required", "Send sourceItemId or item.");
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            auto item = share.sourceItemId ? sourceItemTable.require(transaction, tenant, brand, *share.sourceItemId)
                                           : sourceItemOf(*share.item, doer.actor.type == ActorType::ApiKey, now);
            item.brandId = brand;
            auto known = seedTable.select(tenant).where(&Seed::brandId, brand).where(&Seed::dedupeKey, item.dedupeKey).first(transaction);
            if (known) return Shared{*std::move(known), true};
            auto seed = seedOf(item);
            for (const auto& tag : share.tags)
                if (seed.tags.size() < 20 && std::ranges::find(seed.tags, tag) == seed.tags.end()) seed.tags.push_back(tag);
            seed.note = share.note;
            seed.sharedBy = doer.actor.id;
            auto made = seedTable.create(transaction, tenant, std::move(seed), {now});
            audit::record(transaction, tenant, doer,
                          {.kind = AuditKind::SeedShared, .brandId = brand, .data = {R"({"seedId":")" + made.seedId.text() + "\"}"}}, now);
            return Shared{std::move(made), false};
        });
}

Seed SeedService::change(const Doer& doer, Tenant tenant, const BrandId& brand, const SeedId& id, const IfMatch& ifMatch,
                         const Patch<Seed>& patch) const
{
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            const auto before = seedTable.requireForUpdate(transaction, tenant, brand, id);
            const Seed after = seedTable.change(transaction, tenant, brand, id, ifMatch, {now},
                                                [&](Seed& seed)
                                                {
                                                    patch.applyTo(seed);
                                                    if (!seed.archived) return;
                                                    if (*seed.archived && !seed.archivedAt) seed.archivedAt = now;
                                                    if (!*seed.archived) seed.archivedAt.reset();
                                                });
            if (after.archivedAt && !before.archivedAt)
                audit::record(transaction, tenant, doer,
                              {.kind = AuditKind::SeedArchived, .brandId = brand, .data = {R"({"seedId":")" + id.text() + "\"}"}}, now);
            return after;
        });
}

} // namespace portico::social
