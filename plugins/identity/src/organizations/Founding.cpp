#include "organizations/Founding.h"

#include "catalog/CatalogStore.h"
#include "catalog/ServiceAccess.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

constexpr std::size_t longestMadeSlug = 30;

/// Returns ASCII letters and digits in lower case; other characters become hyphens.
std::string slugFrom(std::string_view name)
{
    std::string slug;
    for (const char c : name)
    {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        if (plain)
            slug += lower;
        else if (!slug.empty() && slug.back() != '-')
            slug += '-';
        if (slug.size() == longestMadeSlug) break;
    }
    while (!slug.empty() && slug.back() == '-') slug.pop_back();
    return slug.size() < 2 ? "organization" : slug;
}

Problem slugInUse() { return Problem::conflict("slug_in_use", "Another organization has this slug."); }

std::string slugFor(Session& session, const NewOrganization& wanted)
{
    if (!wanted.slug.empty())
    {
        if (organizations::findBySlug(session, wanted.slug)) throw slugInUse();
        return wanted.slug;
    }
    auto slug = slugFrom(wanted.name);
    if (slug == adminSlug || organizations::findBySlug(session, slug)) slug += '-' + randomText(6, "abcdefghijklmnopqrstuvwxyz0123456789");
    return slug;
}

} // namespace

Organization organizations::found(Transaction& transaction, const Catalog& catalog, const Settings& settings, const NewOrganization& wanted,
                                  Instant now)
{
    Organization organization;
    organization.id = OrganizationId::make(now);
    organization.slug = slugFor(transaction, wanted);
    organization.name = wanted.name;
    organization.kind = wanted.kind;
    organization.createdAt = organization.updatedAt = now;
    try
    {
        organizationTable.insert(transaction, organization);
    }
    catch (const DatabaseError& error)
    {
        // A concurrent request has taken the slug.
        if (error.kind() == DatabaseError::Kind::UniqueViolation) throw slugInUse();
        throw;
    }
    for (const auto& [serviceId, service] : catalog.services)
        if (!service.publisherId && isDefaultService(settings, serviceId))
            service_access::grant(transaction, organization.id, serviceId, now);
    return organization;
}

} // namespace portico::identity
