#include "brands/BrandRoutes.h"

#include "common/SearchText.h"

#include "portico/Problem.h"
#include "portico/interfaces/Directory.h"

namespace portico::social
{

namespace
{
constexpr std::string_view transferPermission = "social.brands:transfer";

Brand shown(Brand brand, const Caller& caller)
{
    brand.organizationId = *OrganizationId::parse(caller.organizationId);
    brand.role = caller.role;
    return brand;
}

/// @throws Problem 404 for another organization than the active one
void requireActive(const Caller& caller, const std::optional<OrganizationId>& organization)
{
    if (organization && organization->text() != caller.organizationId)
        throw Problem::notFound("There is no such organization in the active context.");
}

/// @throws Problem 404 unless the caller is an active member of the organization; 403 without the permission there; 503 when identity is
/// not there
void requireTransferRight(PluginContext& context, const Caller& caller, const OrganizationId& organization)
{
    const auto directory = context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be read at the moment. Try again later.");
    const auto member = directory->member(organization, caller.principalId);
    if (!member || !member->active) throw Problem::notFound("There is no such organization.");
    if (!directory->memberMay(organization, caller.principalId, transferPermission))
        throw Problem::forbidden("permission_denied", "The permission social.brands:transfer is needed in the other organization.")
            .withDetails(R"({"permission":"social.brands:transfer"})");
}
} // namespace

void BrandRoutes::declare(Routes& routes)
{
    routes.get("/api/brands", access::bearer("brands:read"), &BrandRoutes::list, this, {.summary = "List the brands of the organization"})
        .post("/api/brands", access::bearer("brands:write"), &BrandRoutes::create, this, {.summary = "Create a brand"})
        .get("/api/brands/{brandId}", access::bearer("brands:read"), &BrandRoutes::show, this, {.summary = "Read a brand"})
        .patch("/api/brands/{brandId}", access::bearer("brands:write"), &BrandRoutes::change, this, {.summary = "Change a brand"})
        .post("/api/brands/{brandId}/transfer-organization", access::bearer("brands:transfer"), &BrandRoutes::transfer, this,
              {.summary = "Move a brand to another organization", .execution = Execution::Long, .problems = {"503 directory_unavailable"}});
}

Page<Brand> BrandRoutes::list(const Caller& caller, const Query<BrandFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    requireActive(caller, filter->organizationId);
    auto session = _context.database().session();
    auto found = brandTable.select(tenant);
    for (const auto& pattern : likePatterns(filter->q)) found.where("name_folded LIKE ? ESCAPE '\\'", pattern);
    auto page = found.orderBy(&Brand::nameFolded).page(session, paging);
    for (auto& brand : page.items) brand = shown(std::move(brand), caller);
    return page;
}

Created<Brand> BrandRoutes::create(const Request& request, const Body<NewBrand>& body) const
{
    const auto& caller = *request.caller;
    const auto tenant = caller.tenant();
    requireActive(caller, body->organizationId);
    Brand brand;
    brand.name = body->name;
    brand.slug = body->slug.value_or("");
    brand.description = body->description;
    if (!body->timeZone.empty()) brand.timeZone = body->timeZone;
    if (!body->language.empty()) brand.language = body->language;
    brand.approvalPolicy = body->approvalPolicy;
    brand.latePublishGraceMinutes = body->latePublishGraceMinutes;
    brand.deckHalfLifeHours = body->deckHalfLifeHours;
    brand.slotPlan = body->slotPlan;
    auto made = shown(_service.create(Doer::of(request), tenant, std::move(brand)), caller);
    auto location = "/api/brands/" + made.brandId.text();
    return {std::move(made), std::move(location)};
}

Brand BrandRoutes::show(const Caller& caller, const Path<BrandId>& id) const
{
    auto session = _context.database().session();
    return shown(brandTable.require(session, caller.tenant(), *id), caller);
}

Brand BrandRoutes::change(const Request& request, const Path<BrandId>& id, const Body<Patch<Brand>>& patch, const IfMatch& ifMatch) const
{
    const auto& caller = *request.caller;
    return shown(_service.change(Doer::of(request), caller.tenant(), *id, ifMatch, *patch), caller);
}

TransferredBrand BrandRoutes::transfer(const Request& request, const Path<BrandId>& id, const Body<BrandTransfer>& body) const
{
    const auto& caller = *request.caller;
    const auto tenant = caller.tenant();
    {
        auto session = _context.database().session();
        if (!brandTable.exists(session, tenant, *id)) throw Problem::notFound();
    }
    const auto& organization = body->organizationId;
    if (organization.text() == caller.organizationId)
        throw Problem::invalid("organizationId", "same_organization", "The brand already belongs to this organization");
    requireTransferRight(_context, caller, organization);
    TransferredBrand answer;
    static_cast<Brand&>(answer) = _service.transfer(Doer::of(request), tenant, organization, *id, answer.kept);
    answer.organizationId = organization;
    answer.role = caller.role;
    return answer;
}

} // namespace portico::social
