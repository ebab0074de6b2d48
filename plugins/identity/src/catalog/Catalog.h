#pragma once

#include "catalog/ServiceView.h"

#include "portico/Table.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// A row of `services`.
struct ServiceRow : Versioned
{
    std::string serviceId;
    std::string name;
    std::string description;
    std::string status = "draft";
    bool enabled = true;
    bool complete = false;
    std::vector<ContextKind> contexts;
    bool personalAccess = false;
    std::string origin;
    std::string manifest;
    std::string manifestSha256;
    std::string report;
    /// True for an external service that was registered by the API: no host runs it.
    bool remote = false;
    /// Organization that publishes the service; empty: the platform.
    std::optional<OrganizationId> publisherId;
    /// The manifest as a host handed it over last; empty where none did.
    std::string publishedManifest;
};

constexpr auto schemaOf(const ServiceRow*)
{
    return describe(
        field<&ServiceRow::serviceId>("service_id"),
        members<&ServiceRow::name, &ServiceRow::description, &ServiceRow::status, &ServiceRow::enabled, &ServiceRow::complete,
                &ServiceRow::contexts, &ServiceRow::personalAccess, &ServiceRow::origin, &ServiceRow::manifest, &ServiceRow::manifestSha256,
                &ServiceRow::report, &ServiceRow::remote, &ServiceRow::publisherId, &ServiceRow::publishedManifest>(),
        versioned<ServiceRow>());
}

inline constexpr GlobalTable serviceTable{"services", &ServiceRow::serviceId};

/// A registered service with its permissions, bundles and scopes. `expand` must have run before `ofRole` and `all` are asked.
class CatalogService : public ServiceRow
{
public:
    std::vector<PermissionEntry> permissions;
    std::vector<RoleBundle> bundles;
    std::vector<ScopeEntry> scopes;
    std::vector<BindableType> bindableTypes;
    /// Further web origins that the manifest names.
    std::vector<std::string> origins;
    /// Origins of pages that are tried out before they are published: one `*` in the first label of the host.
    std::vector<std::string> previewOriginPatterns;
    /// Redirect addresses for codes: absolute, from paths of the manifest at the service's origin.
    std::vector<std::string> callbackUrls;
    bool launchable = false;
    /// Public description.
    std::shared_ptr<const ServiceView> view;
    /// Members from the manifest.
    std::vector<std::string> collections;
    std::vector<OnboardingStep> onboardingSteps;

    /// Compares exactly (RFC 9700, 4.1.3).
    bool isCallback(std::string_view url) const;
    /// Returns true for a page of the service itself, published or a preview.
    bool isOwnOrigin(std::string_view origin) const;
    /// Only such a service is listed, or accepted as an audience.
    bool active() const { return enabled && status == "active"; }
    bool servesContext(ContextKind kind) const;
    const ScopeEntry* scope(std::string_view name) const;
    /// Returns true if one of a key's scopes includes the permission.
    bool opens(const std::vector<std::string>& held, std::string_view permission) const;
    /// Returns the highest risk of a scope's permissions.
    Risk risk(const ScopeEntry& scope) const;
    bool hasPermission(std::string_view permission) const;
    /// Returns true if no scope may include this permission.
    bool exempt(std::string_view permission) const;

    /// Computes the permissions of every role by the manifest's bundles, so that requests only copy them.
    void expand();
    /// Sorted full names.
    const std::vector<std::string>& ofRole(Role role) const;
    const std::vector<std::string>& all() const noexcept { return _all; }

private:
    std::vector<std::string> _all;
    std::map<Role, std::vector<std::string>> _byRole;
};

/// Returns the permissions of a role by bundles, with patterns expanded against `all` (sorted): sorted full names.
std::vector<std::string> expandBundles(const std::vector<RoleBundle>& bundles, Role role, const std::vector<std::string>& all);

/// Snapshot of all registered services. Immutable, so it is shared between threads.
struct Catalog
{
    std::map<std::string, CatalogService, std::less<>> services;
    /// Changes with every row of `services`.
    std::int64_t fingerprint = 0;

    const CatalogService* find(std::string_view serviceId) const;
    /// An origin that a page of an active service may have.
    bool isRegisteredOrigin(std::string_view origin) const;
};

/// Returns true if a permission or pattern (`crm.*:*`, `crm.contacts:*`, `crm.*:read`) covers `crm.contacts:read`. The service part cannot
/// be a pattern.
bool covers(std::string_view pattern, std::string_view permission) noexcept;

} // namespace portico::identity
