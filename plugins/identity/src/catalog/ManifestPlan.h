#pragma once

#include "catalog/Catalog.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// Entry that a manifest defines: a `permission`, `role_bundle`, `api_key_scope`, `bindable_resource`, or a `member` of the manifest.
struct CatalogItem
{
    std::string kind;
    std::string name;
    bool operator==(const CatalogItem&) const = default;
};

constexpr auto schemaOf(const CatalogItem*) { return describe(members<&CatalogItem::kind, &CatalogItem::name>()); }

/// Changes of rows that a manifest would cause.
struct ManifestPlan
{
    std::vector<CatalogItem> added;
    std::vector<CatalogItem> changed;
    std::vector<CatalogItem> removed;

    bool empty() const noexcept { return added.empty() && changed.empty() && removed.empty(); }
    /// Returns names of the removed entries of a kind.
    std::vector<std::string> removedOf(std::string_view kind) const;
};

constexpr auto schemaOf(const ManifestPlan*)
{
    return describe(members<&ManifestPlan::added, &ManifestPlan::changed, &ManifestPlan::removed>());
}

/// @param rows stored permissions, bundles, scopes and types @param before the row's current manifest
ManifestPlan planOf(const CatalogService& rows, const ServiceManifest& before, const ServiceManifest& after);

} // namespace portico::identity
