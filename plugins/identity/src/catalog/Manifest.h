#pragma once

#include "permissions/Role.h"

#include "portico/Schema.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

enum class Risk : std::uint8_t
{
    Low,
    Medium,
    High
};

constexpr auto schemaOf(const Risk*)
{
    using enum Risk;
    return portico::choices<Risk>({{"low", Low}, {"medium", Medium}, {"high", High}});
}

enum class ContextKind : std::uint8_t
{
    Organization,
    Personal
};

constexpr auto schemaOf(const ContextKind*)
{
    using enum ContextKind;
    return portico::choices<ContextKind>({{"organization", Organization}, {"personal", Personal}});
}

struct PermissionEntry
{
    std::string permission;
    std::string title;
    std::string description;
    Risk risk = Risk::Low;
    bool apiKeyExempt = false;
};

constexpr auto schemaOf(const PermissionEntry*)
{
    return describe(field("permission", &PermissionEntry::permission).required(), field("title", &PermissionEntry::title),
                    field("description", &PermissionEntry::description), field("risk", &PermissionEntry::risk),
                    field("apiKeyExempt", &PermissionEntry::apiKeyExempt))
        .named("Permission");
}

struct RoleBundle
{
    std::string id;
    std::string title;
    std::vector<Role> roles;
    std::vector<std::string> permissions;
};

constexpr auto schemaOf(const RoleBundle*)
{
    return describe(field("id", &RoleBundle::id).required(), field("title", &RoleBundle::title), field("roles", &RoleBundle::roles),
                    field("permissions", &RoleBundle::permissions));
}

struct ScopeEntry
{
    std::string scope;
    std::string title;
    std::string description;
    std::vector<std::string> permissions;
    std::vector<std::string> bindable;
};

constexpr auto schemaOf(const ScopeEntry*)
{
    return describe(field("scope", &ScopeEntry::scope).required(), field("title", &ScopeEntry::title),
                    field("description", &ScopeEntry::description), field("permissions", &ScopeEntry::permissions),
                    field("bindable", &ScopeEntry::bindable));
}

struct BindableType
{
    std::string type;
    std::string title;
    std::string listUrl;
    std::string idPattern;
};

constexpr auto schemaOf(const BindableType*)
{
    return describe(field("type", &BindableType::type).required(), field("title", &BindableType::title),
                    field("listUrl", &BindableType::listUrl), field("idPattern", &BindableType::idPattern));
}

struct ManifestRoute
{
    std::string method;
    std::string path;
    std::string permission;
    std::vector<std::string> scopes;
    std::string auth;
};

constexpr auto schemaOf(const ManifestRoute*)
{
    return describe(field("method", &ManifestRoute::method).required(), field("path", &ManifestRoute::path).required(),
                    field("permission", &ManifestRoute::permission), field("scopes", &ManifestRoute::scopes),
                    field("auth", &ManifestRoute::auth));
}

/// What something that a manifest lists is called in another language.
struct ManifestText
{
    std::string title;
    std::string description;
};

constexpr auto schemaOf(const ManifestText*)
{
    return describe(field("title", &ManifestText::title).required(), field("description", &ManifestText::description));
}

/// A manifest in another language than English: by what it lists, and the names there.
struct ManifestTexts
{
    std::map<std::string, ManifestText> permissions;
    std::map<std::string, ManifestText> roleBundles;
    std::map<std::string, ManifestText> apiKeyScopes;
    std::map<std::string, ManifestText> bindableResources;
};

constexpr auto schemaOf(const ManifestTexts*)
{
    return describe(field("permissions", &ManifestTexts::permissions), field("roleBundles", &ManifestTexts::roleBundles),
                    field("apiKeyScopes", &ManifestTexts::apiKeyScopes), field("bindableResources", &ManifestTexts::bindableResources));
}

/// A service's manifest as far as identity acts on it; the rest is carried along as it is. The host has checked its form.
struct ServiceManifest
{
    std::int64_t manifestVersion = 1;
    std::string serviceId;
    std::string version;
    std::string name;
    std::string description;
    std::string vendor;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = false;
    bool householdCapable = false;
    bool personalAccess = true;
    std::vector<ContextKind> contexts = {ContextKind::Organization};
    std::string launchUrl;
    std::string iconUrl;
    std::vector<std::string> callbackUrls;
    std::vector<std::string> categories;
    std::vector<std::string> origins;
    std::vector<std::string> previewOriginPatterns;
    std::vector<std::string> embedOrigins;
    std::optional<std::string> frontchannelLogoutUrl;
    std::optional<std::string> backchannelLogoutUrl;
    std::vector<PermissionEntry> permissions;
    std::vector<RoleBundle> roleBundles;
    std::vector<ScopeEntry> apiKeyScopes;
    std::vector<BindableType> bindableResources;
    std::vector<ManifestRoute> routes;
    std::vector<std::string> webhookEvents;
    std::vector<std::string> collections;
    /// By language.
    std::map<std::string, ManifestTexts> texts;
    Json schema, plugin, widget, web, mobile, onboarding, landing, store, commerce;
};

constexpr auto schemaOf(const ServiceManifest*)
{
    return describe(
        field("$schema", &ServiceManifest::schema), field("manifestVersion", &ServiceManifest::manifestVersion),
        field("service_id", &ServiceManifest::serviceId).required(), field("version", &ServiceManifest::version),
        field("name", &ServiceManifest::name).required(), field("description", &ServiceManifest::description),
        field("vendor", &ServiceManifest::vendor), field("plugin", &ServiceManifest::plugin),
        field("surface_kind", &ServiceManifest::surfaceKind), field("surface_group", &ServiceManifest::surfaceGroup),
        field("launchable", &ServiceManifest::launchable), field("household_capable", &ServiceManifest::householdCapable),
        field("personalAccess", &ServiceManifest::personalAccess), field("contexts", &ServiceManifest::contexts),
        field("launchUrl", &ServiceManifest::launchUrl), field("iconUrl", &ServiceManifest::iconUrl),
        field("callbackUrls", &ServiceManifest::callbackUrls), field("categories", &ServiceManifest::categories),
        field("mobile", &ServiceManifest::mobile), field("origins", &ServiceManifest::origins),
        field("previewOriginPatterns", &ServiceManifest::previewOriginPatterns), field("embedOrigins", &ServiceManifest::embedOrigins),
        field("frontchannelLogoutUrl", &ServiceManifest::frontchannelLogoutUrl),
        field("backchannelLogoutUrl", &ServiceManifest::backchannelLogoutUrl), field("widget", &ServiceManifest::widget),
        field("permissions", &ServiceManifest::permissions), field("roleBundles", &ServiceManifest::roleBundles),
        field("apiKeyScopes", &ServiceManifest::apiKeyScopes), field("bindableResources", &ServiceManifest::bindableResources),
        field("texts", &ServiceManifest::texts), field("webhookEvents", &ServiceManifest::webhookEvents),
        field("routes", &ServiceManifest::routes), field("web", &ServiceManifest::web), field("onboarding", &ServiceManifest::onboarding),
        field("landing", &ServiceManifest::landing), field("collections", &ServiceManifest::collections),
        field("store", &ServiceManifest::store), field("commerce", &ServiceManifest::commerce));
}

} // namespace portico::identity
