#pragma once

#include "catalog/Catalog.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// Something that a manifest defines: a `permission`, `role_bundle`, `api_key_scope`, `bindable_resource`, or a `member` of the manifest.
struct CatalogItem
{
    std::string kind;
    std::string name;
    bool operator==(const CatalogItem&) const = default;
};

constexpr auto schemaOf(const CatalogItem*) { return describe(members<&CatalogItem::kind, &CatalogItem::name>()); }

/// What a manifest would change in the rows.
struct ManifestPlan
{
    std::vector<CatalogItem> added;
    std::vector<CatalogItem> changed;
    std::vector<CatalogItem> removed;

    bool empty() const noexcept { return added.empty() && changed.empty() && removed.empty(); }
    /// Names of the removed things of a kind.
    std::vector<std::string> removedOf(std::string_view kind) const;
};

constexpr auto schemaOf(const ManifestPlan*)
{
    return describe(members<&ManifestPlan::added, &ManifestPlan::changed, &ManifestPlan::removed>());
}

/// @param rows permissions, bundles, scopes and types as they are stored; @param before the manifest that the row has
ManifestPlan planOf(const CatalogService& rows, const ServiceManifest& before, const ServiceManifest& after);

} // namespace portico::identity
