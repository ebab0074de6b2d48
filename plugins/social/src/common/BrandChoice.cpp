#include "common/BrandChoice.h"

#include "portico/Problem.h"

#include <initializer_list>

namespace portico::social
{

namespace
{
void requireBrandReach(const Caller& caller, std::string_view brand)
{
    if (!caller.reaches(brandResource, brand)) throw Problem::forbidden("resource_not_bound", "The key is restricted to other brands.");
}

/// Returns the name on which header, query and body agree, or null when none names a brand.
const std::string* agreedName(const Caller& caller, std::initializer_list<const std::optional<std::string>*> names)
{
    for (const auto* name : names)
        if (*name) requireBrandReach(caller, **name);
    const std::string* agreed = nullptr;
    for (const auto* name : names)
    {
        if (!*name) continue;
        if (agreed != nullptr && *agreed != **name)
            throw Problem::badRequest("brand_mismatch", "X-Brand-ID and brandId name different brands.");
        agreed = &**name;
    }
    return agreed;
}

BrandId onlyBrand(Session& session, const Caller& caller)
{
    std::optional<std::string> only;
    for (const auto& row : session.query("SELECT id FROM brand WHERE organization_id = $1 ORDER BY id LIMIT 2", caller.tenant()))
    {
        if (only) throw Problem::badRequest("brand_required", "The organization has several brands. Choose one with X-Brand-ID.");
        only = row.get<std::string>(0);
    }
    if (!only) throw Problem::badRequest("brand_required", "The organization has no brand yet.");
    return *BrandId::parse(*only);
}
} // namespace

BrandId requireBrand(Session& session, const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                     const std::optional<std::string>& body)
{
    const auto tenant = caller.tenant();
    const auto* name = agreedName(caller, {&*header, &query, &body});
    if (name == nullptr)
    {
        if (caller.credential == CredentialKind::ApiKey)
            throw Problem::badRequest("brand_required", "A key names the brand in X-Brand-ID or brandId.");
        return onlyBrand(session, caller);
    }
    auto brand = BrandId::parse(*name);
    if (!brand || !session.value<std::int64_t>("SELECT 1 FROM brand WHERE organization_id = $1 AND id = $2", tenant, *brand))
        throw Problem::notFound("There is no such brand.");
    return *std::move(brand);
}

} // namespace portico::social
