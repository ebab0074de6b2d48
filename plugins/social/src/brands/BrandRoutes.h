#pragma once

#include "brands/BrandService.h"
#include "common/BrandChoice.h"

#include "portico/Routes.h"

#include <map>

namespace portico::social
{

/// Input for a new brand.
struct NewBrand
{
    std::optional<OrganizationId> organizationId;
    std::string name;
    std::optional<std::string> slug;
    std::string description;
    std::string timeZone = "UTC";
    std::string language = "en";
    ApprovalPolicy approvalPolicy;
    std::int64_t latePublishGraceMinutes = 120;
    std::int64_t deckHalfLifeHours = 24;
    std::vector<PlannedSlot> slotPlan;
};

constexpr auto schemaOf(const NewBrand*)
{
    return describe(
        field<&NewBrand::organizationId>().description("Active organization, which is the default"),
        field<&NewBrand::name>().required().trimmed().maxLength(120),
        field<&NewBrand::slug>().matches(isSlug, "invalid_slug", "1 to 60 of a-z, 0-9 and -").description("Default: derived from the name"),
        brandSettings<NewBrand>());
}

struct BrandFilter
{
    std::optional<OrganizationId> organizationId;
    std::string q;
};

constexpr auto schemaOf(const BrandFilter*)
{
    return describe(field<&BrandFilter::organizationId>().description("Active organization, which is the default"),
                    field<&BrandFilter::q>().maxLength(200).description("Words to find in the name"));
}

struct BrandTransfer
{
    OrganizationId organizationId;
};

constexpr auto schemaOf(const BrandTransfer*)
{
    return describe(field<&BrandTransfer::organizationId>().required().description("The new owner"));
}

/// A brand at its new owner.
struct TransferredBrand : Brand
{
    std::map<std::string, std::int64_t> kept;
};

constexpr auto schemaOf(const TransferredBrand*)
{
    return describe(inherited<Brand>(), field<&TransferredBrand::kept>().description("Number of moved records, by kind"));
}

/// /api/brands. Thread-safe.
class BrandRoutes
{
public:
    BrandRoutes(PluginContext& context, const BrandService& service) : _context(context), _service(service) {}
    void declare(Routes& routes);

    Page<Brand> list(const Caller& caller, const Query<BrandFilter>& filter, const Paging& paging) const;
    Created<Brand> create(const Request& request, const Body<NewBrand>& body) const;
    Brand show(const Caller& caller, const Path<BrandId>& id) const;
    Brand change(const Request& request, const Path<BrandId>& id, const Body<Patch<Brand>>& patch, const IfMatch& ifMatch) const;
    TransferredBrand transfer(const Request& request, const Path<BrandId>& id, const Body<BrandTransfer>& body) const;

private:
    PluginContext& _context;
    const BrandService& _service;
};

} // namespace portico::social
