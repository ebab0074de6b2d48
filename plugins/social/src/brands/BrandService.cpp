#include "brands/BrandService.h"

#include "audit/EventChanges.h"
#include "brands/BrandTables.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <set>

namespace portico::social
{

namespace
{
constexpr std::size_t maxSlug = 60;

Problem slugTaken()
{
    return Problem::conflict("conflict", "Another brand of the organization has this slug.")
        .with({"slug", "taken", "Another brand of the organization has this slug"});
}

/// Returns a slug of the letters and digits of a name.
std::string slugOf(std::string_view name)
{
    std::string slug;
    for (const char c : fold(name))
    {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (kept)
            slug += c;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
    }
    slug = slug.substr(0, maxSlug - 4);
    while (slug.ends_with('-')) slug.pop_back();
    return slug.empty() ? "brand" : slug;
}

bool isTaken(Session& session, Tenant tenant, const std::string& slug)
{
    return brandTable.select(tenant).where(&Brand::slug, slug).exists(session);
}

/// Returns the slug, or the slug with the first number behind it that is free.
std::string freeSlug(Session& session, Tenant tenant, const std::string& wanted)
{
    auto slug = wanted;
    for (int number = 2; isTaken(session, tenant, slug); ++number) slug = wanted.substr(0, maxSlug - 4) + '-' + std::to_string(number);
    return slug;
}

/// Lets one transaction at a time count the brands of an organization and look at their slugs.
void lockBrands(Transaction& transaction, Tenant tenant)
{
    transaction.execute("INSERT INTO brand_lock (organization_id, changes) VALUES ($1, 0) ON CONFLICT (organization_id) DO NOTHING",
                        tenant);
    transaction.execute("UPDATE brand_lock SET changes = changes + 1 WHERE organization_id = $1", tenant);
}

void requireRoom(Transaction& transaction, Tenant tenant)
{
    lockBrands(transaction, tenant);
    if (brandTable.count(transaction, tenant) >= maxBrands)
        throw Problem::conflict("conflict", "An organization has at most " + std::to_string(maxBrands) + " brands.");
}

void requireDistinctSlots(const Brand& brand)
{
    std::set<PlannedSlot> seen;
    for (std::size_t i = 0; i < brand.slotPlan.size(); ++i)
        if (!seen.insert(brand.slotPlan[i]).second)
            throw Problem::invalid("slotPlan[" + std::to_string(i) + "]", "duplicate", "The plan already contains this time");
}
} // namespace

bool isSlug(std::string_view text)
{
    return !text.empty() && text.size() <= maxSlug &&
           std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

Brand BrandService::create(const Doer& doer, Tenant tenant, Brand brand) const
{
    requireDistinctSlots(brand);
    brand.nameFolded = fold(brand.name);
    const Stamp stamp{_context.clock().now(), doer.actor.id};
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            requireRoom(transaction, tenant);
            auto wanted = brand;
            if (wanted.slug.empty())
                wanted.slug = freeSlug(transaction, tenant, slugOf(wanted.name));
            else if (isTaken(transaction, tenant, wanted.slug))
                throw slugTaken();
            const auto made = brandTable.create(transaction, tenant, wanted, stamp);
            audit::begin(transaction, tenant, made.brandId);
            audit::record(transaction, tenant, doer, {.kind = AuditKind::BrandCreated, .brandId = made.brandId}, stamp.now);
            return made;
        });
}

Brand BrandService::change(const Doer& doer, Tenant tenant, const BrandId& id, const IfMatch& ifMatch, const Patch<Brand>& patch) const
{
    const Stamp stamp{_context.clock().now(), doer.actor.id};
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto before = brandTable.requireForUpdate(transaction, tenant, id);
            const Brand after = brandTable.change(transaction, tenant, id, ifMatch, stamp,
                                                  [&](Brand& brand)
                                                  {
                                                      patch.applyTo(brand);
                                                      requireDistinctSlots(brand);
                                                      brand.nameFolded = fold(brand.name);
                                                      if (brand.slug != before.slug)
                                                      {
                                                          lockBrands(transaction, tenant);
                                                          if (isTaken(transaction, tenant, brand.slug)) throw slugTaken();
                                                      }
                                                      const auto& avatar = brand.avatarMediaId;
                                                      if (avatar && avatar != before.avatarMediaId &&
                                                          !(_questions.hasImage && _questions.hasImage(transaction, tenant, id, *avatar)))
                                                          throw Problem::invalid("avatarMediaId", "unknown_media",
                                                                                 "Expected the ID of a ready image of the brand");
                                                  });
            if (after.version != before.version)
                audit::record(transaction, tenant, doer,
                              {.kind = AuditKind::BrandUpdated,
                               .brandId = id,
                               .changes = changesBetween(before, after,
                                                         {"name", "slug", "description", "avatarMediaId", "timeZone", "language",
                                                          "approvalPolicy", "latePublishGraceMinutes", "deckHalfLifeHours", "slotPlan"})},
                              stamp.now);
            return after;
        });
}

Brand BrandService::transfer(const Doer& doer, Tenant from, const OrganizationId& to, const BrandId& id,
                             std::map<std::string, std::int64_t>& kept) const
{
    const Stamp stamp{_context.clock().now(), doer.actor.id};
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            kept.clear();
            const auto before = brandTable.requireForUpdate(transaction, from, id);
            requireRoom(transaction, to);
            // The event locks the end of the chain, so that every later change of the brand finds its new owner or none.
            audit::record(
                transaction, from, doer,
                {.kind = AuditKind::BrandTransferred, .brandId = id, .changes = {textChange("organizationId", from.text(), to.text())}},
                stamp.now);
            if (_questions.isPublishing && _questions.isPublishing(transaction, from, id))
                throw Problem::invalid("brandId", "brand_publishing", "An item of the brand is being published: try again when it is done");
            auto brand = before;
            brand.slug = freeSlug(transaction, to, before.slug);
            brand.updatedAt = stamp.now;
            ++brand.version;
            brandTable.erase(transaction, from, id);
            brandTable.insert(transaction, to, brand);
            for (const auto& [table, counted] : brandTables)
            {
                const auto rows = transaction.execute("UPDATE " + std::string(table) +
                                                          " SET organization_id = $3 WHERE organization_id = $1 AND brand_id = $2",
                                                      from, id, to);
                if (!counted.empty()) kept.emplace(counted, rows);
            }
            // The triggers of the items have counted them for the new owner.
            transaction.execute("DELETE FROM queue_count WHERE organization_id = $1 AND brand_id = $2", from, id);
            return brand;
        });
}

} // namespace portico::social
