#pragma once

#include "catalog/Manifest.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// A registered service with its permissions, bundles and scopes. `expand` must have run before `ofRole` and `all` are asked.
class CatalogService
{
public:
    std::string serviceId;
    std::string name;
    std::string status;
    bool enabled = false;
    bool complete = false;
    bool personalAccess = false;
    std::vector<ContextKind> contexts;
    std::string origin;
    std::string manifestSha256;
    std::vector<PermissionEntry> permissions;
    std::vector<RoleBundle> bundles;
    std::vector<ScopeEntry> scopes;
    std::vector<BindableType> bindableTypes;
    /// Further web origins that the manifest names.
    std::vector<std::string> origins;

    /// Only such a service is listed, or accepted as an audience.
    bool active() const { return enabled && status == "active"; }
    bool servesContext(ContextKind kind) const;
    const ScopeEntry* scope(std::string_view name) const;
    /// The highest risk of a scope's permissions.
    Risk risk(const ScopeEntry& scope) const;
    bool hasPermission(std::string_view permission) const;
    /// Whether no scope may open this permission.
    bool exempt(std::string_view permission) const;

    /// Works out what every role may do by the manifest's bundles, so that a request only copies it.
    void expand();
    /// Sorted full names.
    const std::vector<std::string>& ofRole(Role role) const;
    const std::vector<std::string>& all() const noexcept { return _all; }

private:
    std::vector<std::string> _all;
    std::map<Role, std::vector<std::string>> _byRole;
};

/// What bundles give to a role, patterns expanded against `all` (sorted): sorted full names.
std::vector<std::string> expandBundles(const std::vector<RoleBundle>& bundles, Role role, const std::vector<std::string>& all);

/// All registered services at one moment; never changed once it is made, so shared between threads.
struct Catalog
{
    std::map<std::string, CatalogService, std::less<>> services;

    const CatalogService* find(std::string_view serviceId) const;
    /// An origin that a page of an active service may have.
    bool isRegisteredOrigin(std::string_view origin) const;
};

} // namespace portico::identity
