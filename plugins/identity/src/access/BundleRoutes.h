#pragma once

#include "common/Core.h"
#include "common/IgnoredOnInput.h"
#include "common/Role.h"

#include "portico/Routes.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Bundle with an organization's changes. Replaces the manifest's.
struct BundleOverride : Versioned
{
    std::string serviceId;
    std::string bundleId;
    std::vector<Role> roles;
    std::vector<std::string> permissions;
    /// The permissions that patterns named when they were set, so that they do not grow with the catalog. Empty: there are no patterns.
    std::vector<std::string> covered;
};

constexpr auto schemaOf(const BundleOverride*)
{
    return describe(field<&BundleOverride::serviceId>("service_id"),
                    members<&BundleOverride::bundleId, &BundleOverride::roles, &BundleOverride::permissions>(),
                    field<&BundleOverride::covered>().columnOnly(), versioned<BundleOverride>());
}

inline constexpr Table bundleOverrideTable{"role_bundle_overrides", &BundleOverride::serviceId, &BundleOverride::bundleId};

struct BundleQuery
{
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const BundleQuery*) { return describe(field<&BundleQuery::organizationId>()); }

/// Absent members stay unchanged.
struct BundleInput : IgnoredOnInput
{
    std::vector<std::string> permissions;
    std::vector<Role> roles;
};

constexpr auto schemaOf(const BundleInput*)
{
    return describe(field<&BundleInput::permissions>().maxItems(500), field<&BundleInput::roles>().maxItems(5),
                    readBack<BundleInput>("id", "title", "organizationId", "version"));
}

/// A bundle as it counts in an organization, or as the manifest has it.
struct BundleView
{
    std::string id;
    std::string title;
    std::vector<Role> roles;
    std::vector<std::string> permissions;
    /// Organization that has changed the bundle; empty: the manifest's.
    std::optional<OrganizationId> organizationId;
    /// Version of the organization's change, 0 without one; for the manifest's bundle the version of the service.
    std::int64_t version = 0;
};

constexpr auto schemaOf(const BundleView*)
{
    return describe(members<&BundleView::id, &BundleView::title, &BundleView::roles, &BundleView::permissions, &BundleView::organizationId,
                            &BundleView::version>())
        .named("RoleBundleView");
}

/// Manages role bundles of services: the manifest's bundles, changed by operators for all organizations and by an organization for itself.
/// Thread-safe.
class BundleRoutes
{
public:
    explicit BundleRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<BundleView> list(const Caller& caller, const Path<std::string>& serviceId, const Query<BundleQuery>& query) const;
    BundleView put(const Caller& caller, const Request& request, const Path<std::string>& serviceId, const Path<std::string>& bundleId,
                   const Query<BundleQuery>& query, const Body<BundleInput>& input, const IfMatch& match);
    /// Removes the organization's changes. @throws Problem 404 if there are none
    NoContent remove(const Caller& caller, const Request& request, const Path<std::string>& serviceId, const Path<std::string>& bundleId,
                     const Query<BundleQuery>& query, const IfMatch& match);

private:
    Core& _core;
};

} // namespace portico::identity
