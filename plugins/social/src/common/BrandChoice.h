#pragma once

#include "common/Ids.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::social
{

/// The type of resource that keys are narrowed to.
inline constexpr std::string_view brandResource = "brand";

/// The header of every brand-scoped route.
using BrandHeader = Header<"X-Brand-ID", std::optional<std::string>>;

/// The query of every brand-scoped route; a query with more members derives from it and adds `inherited<BrandChoice>()` to its description.
struct BrandChoice
{
    std::optional<std::string> brandId;
};

constexpr auto schemaOf(const BrandChoice*)
{
    return describe(field<&BrandChoice::brandId>().description(
        "Brand; alternative to the header X-Brand-ID. Default for access tokens: the only brand of the "
        "organization"));
}

/// Returns the brand of a request (2.A.1): the one in the header, the query or the body, or for a bearer the only brand of the active
/// organization. An empty optional names none.
/// A route that calls this declares `.bindInHandler(brandResource)` when it accepts keys.
/// @throws Problem 403 `resource_not_bound` for a key that is restricted to other brands; 400 `brand_mismatch`; 400 `brand_required`; 404
/// for an unknown or foreign brand
BrandId requireBrand(Session& session, const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                     const std::optional<std::string>& body = std::nullopt);

} // namespace portico::social
