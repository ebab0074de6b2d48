#include "access/BundleRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogAccess.h"
#include "catalog/CatalogStore.h"
#include "permissions/Actor.h"
#include "permissions/PersonAccess.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

const RoleBundle& requireBundle(const CatalogService& service, const std::string& id)
{
    const auto found = std::ranges::find(service.bundles, id, &RoleBundle::id);
    if (found == service.bundles.end()) throw Problem::notFound("The service has no such bundle.");
    return *found;
}

/// @throws Problem 400 `unknown_permission` with the places
void checkPermissions(const CatalogService& service, const std::vector<std::string>& permissions)
{
    auto refusal = Problem::badRequest("unknown_permission", "The service has no such permission.");
    for (std::size_t i = 0; i < permissions.size(); ++i)
        if (std::ranges::none_of(service.all(), [&](const auto& name) { return covers(permissions[i], name); }))
            refusal.with({"permissions[" + std::to_string(i) + ']', "unknown_permission", "No permission of this service is named so."});
    if (!refusal.errors().empty()) throw refusal;
}

/// Checks that the bundle's roles rank below the actor, and that the actor has every permission that it adds.
/// @throws Problem 403 `outranked`, `cannot_grant_unheld_permission`, `step_up_required`
void requireRights(Session& session, const Actor& actor, const OrganizationId& organization, const CatalogService& service,
                   const RoleBundle& before, const RoleBundle& after, Instant now)
{
    if (actor.isOperator()) return;
    for (const auto* bundle : {&before, &after})
        for (const auto role : bundle->roles) actor.requireMayChange(rank(role));
    const PersonAccess own(session, *users::find(session, actor.userId().text()), organization, actor.proof());
    const auto held = effectivePermissions(service, own.input(service.serviceId), now);
    for (const auto& [text, role] : choicesOf<Role>())
    {
        const auto had = expandBundles({before}, role, service.all());
        for (const auto& permission : expandBundles({after}, role, service.all()))
            if (!std::ranges::binary_search(had, permission) && !std::ranges::binary_search(held, permission))
                throw Problem::forbidden("cannot_grant_unheld_permission",
                                         "You cannot grant a permission that you do not have: " + permission + '.');
    }
}

struct BundleDetails
{
    std::string serviceId;
    std::vector<Role> roles;
    std::vector<std::string> permissions;

    static BundleDetails of(const std::string& serviceId, const RoleBundle& bundle)
    {
        return {serviceId, bundle.roles, bundle.permissions};
    }
};

constexpr auto schemaOf(const BundleDetails*)
{
    return describe(field<&BundleDetails::serviceId>("service_id"), members<&BundleDetails::roles, &BundleDetails::permissions>());
}

RoleBundle currentBundle(const RoleBundle& manifests, const std::optional<BundleOverride>& own)
{
    return own ? RoleBundle{manifests.id, manifests.title, own->roles, own->permissions} : manifests;
}

/// Does the same with patterns replaced by the permissions that they granted.
RoleBundle givenBundle(const RoleBundle& manifests, const std::optional<BundleOverride>& own)
{
    auto bundle = currentBundle(manifests, own);
    if (own && !own->covered.empty()) bundle.permissions = own->covered;
    return bundle;
}

/// Returns the permissions that patterns among these names match now; empty if there are no patterns.
std::vector<std::string> coveredBy(const CatalogService& service, const std::vector<std::string>& permissions)
{
    std::vector<std::string> found;
    if (std::ranges::none_of(permissions, [](const std::string& name) { return name.find('*') != std::string::npos; })) return found;
    for (const auto& permission : service.all())
        if (std::ranges::any_of(permissions, [&](const std::string& pattern) { return covers(pattern, permission); }))
            found.push_back(permission);
    return found;
}

BundleView bundleView(const RoleBundle& bundle, const std::optional<OrganizationId>& organization, std::int64_t version)
{
    return {bundle.id, bundle.title, bundle.roles, bundle.permissions, organization, version};
}

} // namespace

void BundleRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> refusals = {"400 unknown_permission", "403 outranked", "403 cannot_grant_unheld_permission"};
    const auto managing = access::bearer("permissions:manage");
    routes
        .get("/api/services/{service_id}/role-bundles", access::bearer(), &BundleRoutes::list, this,
             {.summary = "List the role bundles of a service"})
        .put("/api/services/{service_id}/role-bundles/{bundleId}", managing, &BundleRoutes::put, this,
             {.summary = "Update a role bundle, everywhere or in one organization", .problems = refusals})
        .del("/api/services/{service_id}/role-bundles/{bundleId}", managing, &BundleRoutes::remove, this,
             {.summary = "Reset a role bundle in an organization", .problems = refusals});
}

Page<BundleView> BundleRoutes::list(const Caller& caller, const Path<std::string>& serviceId, const Query<BundleQuery>& query) const
{
    const auto catalog = _core.catalog.snapshot();
    const auto& service = catalog_access::require(*catalog, *serviceId, caller);
    auto session = _core.database.snapshot();
    if (query->organizationId) Actor(session, caller, _core.clock.now()).requireOrganization(*query->organizationId);
    Page<BundleView> page;
    const auto& organization = query->organizationId;
    const auto common = organization ? 0 : CatalogStore::row(session, *serviceId).value().version;
    for (const auto& bundle : service.bundles)
    {
        const auto own = organization ? bundleOverrideTable.find(session, *organization, *serviceId, bundle.id) : std::nullopt;
        page.items.push_back(bundleView(currentBundle(bundle, own), own ? organization : std::nullopt, own ? own->version : common));
    }
    return page;
}

BundleView BundleRoutes::put(const Caller& caller, const Request& request, const Path<std::string>& serviceId,
                             const Path<std::string>& bundleId, const Query<BundleQuery>& query, const Body<BundleInput>& input,
                             const IfMatch& match)
{
    if (!query->organizationId && !caller.platformBypass) throw Problem::forbidden();
    const auto catalog = _core.catalog.snapshot();
    const auto& service = catalog_access::require(*catalog, *serviceId, caller);
    const auto now = _core.clock.now();
    checkPermissions(service, input->permissions);
    const auto forAll = [&](Transaction& transaction)
    {
        auto row = CatalogStore::row(transaction, *serviceId).value();
        match.require(row.version);
        RoleBundle bundle = requireBundle(CatalogStore::stored(transaction, row), *bundleId);
        if (input.has("permissions")) bundle.permissions = input->permissions;
        if (input.has("roles")) bundle.roles = input->roles;
        transaction.update("role_bundles", bundle, {}, {"service_id", "id"}, *serviceId, bundle.id);
        const auto version = CatalogStore::write(transaction, std::move(row), nullptr, now).version;
        AuditLog::of(request, now).record(transaction, "role_bundle.changed", bundle.id, BundleDetails::of(*serviceId, bundle));
        return bundleView(bundle, std::nullopt, version);
    };
    if (!query->organizationId) return _core.changes.run(forAll);
    const OrganizationId& organization = *query->organizationId;
    return _core.changes.run({organization, Tenant::fromStored(caller.principalId)},
                             [&](Transaction& transaction)
                             {
                                 const Actor actor(transaction, caller, now);
                                 actor.requireOrganization(organization);
                                 if (!organizations::find(transaction, organization)) throw Problem::notFound();
                                 const auto& manifests = requireBundle(service, *bundleId);
                                 auto own = bundleOverrideTable.find(transaction, organization, *serviceId, *bundleId);
                                 const auto before = currentBundle(manifests, own);
                                 match.require(own ? own->version : 0);
                                 RoleBundle after = before;
                                 if (input.has("permissions")) after.permissions = input->permissions;
                                 if (input.has("roles")) after.roles = input->roles;
                                 const auto covered =
                                     own && !input.has("permissions") ? own->covered : coveredBy(service, after.permissions);
                                 auto given = after;
                                 if (!covered.empty()) given.permissions = covered;
                                 requireRights(transaction, actor, organization, service, givenBundle(manifests, own), given, now);
                                 const auto fill = [&](BundleOverride& entry)
                                 {
                                     entry.serviceId = *serviceId;
                                     entry.bundleId = *bundleId;
                                     entry.roles = after.roles;
                                     entry.permissions = after.permissions;
                                     entry.covered = covered;
                                 };
                                 const Stamp stamp{now, {}};
                                 if (own)
                                     own = bundleOverrideTable.change(transaction, organization, *serviceId, *bundleId, match, stamp, fill);
                                 else
                                 {
                                     BundleOverride entry;
                                     fill(entry);
                                     own = bundleOverrideTable.create(transaction, organization, std::move(entry), stamp);
                                 }
                                 AuditLog::of(request, now, organization)
                                     .record(transaction, "role_bundle.changed", after.id, BundleDetails::of(*serviceId, after));
                                 return bundleView(after, organization, own->version);
                             });
}

NoContent BundleRoutes::remove(const Caller& caller, const Request& request, const Path<std::string>& serviceId,
                               const Path<std::string>& bundleId, const Query<BundleQuery>& query, const IfMatch& match)
{
    if (!query->organizationId) throw Problem::invalid("organizationId", "required", "The service's own bundles stay.");
    const auto catalog = _core.catalog.snapshot();
    const auto& service = catalog_access::require(*catalog, *serviceId, caller);
    const OrganizationId& organization = *query->organizationId;
    const auto now = _core.clock.now();
    _core.changes.run({organization, Tenant::fromStored(caller.principalId)},
                      [&](Transaction& transaction)
                      {
                          const Actor actor(transaction, caller, now);
                          actor.requireOrganization(organization);
                          const auto own = bundleOverrideTable.remove(transaction, organization, *serviceId, *bundleId, match);
                          const auto& manifests = requireBundle(service, *bundleId);
                          requireRights(transaction, actor, organization, service, givenBundle(manifests, own), manifests, now);
                          AuditLog::of(request, now, organization)
                              .record(transaction, "role_bundle.reset", manifests.id, BundleDetails::of(*serviceId, manifests));
                      });
    return {};
}

} // namespace portico::identity
