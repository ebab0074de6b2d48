#include "brands/BindableBrands.h"

#include "brands/Brand.h"
#include "common/BrandChoice.h"
#include "common/SearchText.h"

#include "portico/Problem.h"

namespace portico::social
{

namespace
{
void requireReadableBrands(const Caller& caller, std::string_view type)
{
    if (type != brandResource) throw Problem::notFound("There is no such type of resource.");
    if (!caller.may("social.brands:read")) throw Problem::forbidden("permission_denied", "The permission social.brands:read is needed.");
}

interfaces::BindableResource resourceOf(const Brand& brand) { return {brand.brandId.text(), brand.name}; }
} // namespace

std::vector<interfaces::BindableResource> BindableBrands::list(const Caller& caller, std::string_view type, std::string_view words,
                                                               std::string_view after, std::size_t limit)
{
    requireReadableBrands(caller, type);
    auto select = brandTable.select(caller.tenant());
    select.where("id > ?", after);
    for (const auto& pattern : likePatterns(words)) select.where("name_folded LIKE ? ESCAPE '\\'", pattern);
    auto session = _context.database().session();
    std::vector<interfaces::BindableResource> found;
    for (const auto& brand : select.orderBy(&Brand::brandId).all(session))
    {
        if (found.size() == limit) break;
        if (caller.reaches(brandResource, brand.brandId.text())) found.push_back(resourceOf(brand));
    }
    return found;
}

std::optional<interfaces::BindableResource> BindableBrands::find(const Caller& caller, std::string_view type, std::string_view id)
{
    requireReadableBrands(caller, type);
    const auto brandId = BrandId::parse(id);
    if (!brandId || !caller.reaches(brandResource, id)) return std::nullopt;
    auto session = _context.database().session();
    const auto brand = brandTable.find(session, caller.tenant(), *brandId);
    return brand ? std::optional(resourceOf(*brand)) : std::nullopt;
}

} // namespace portico::social
