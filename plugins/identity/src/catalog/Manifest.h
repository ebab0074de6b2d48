#pragma once

#include "catalog/NativeClient.h"
#include "common/Role.h"

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
    return describe(
               field<&PermissionEntry::permission>().required(),
               members<&PermissionEntry::title, &PermissionEntry::description, &PermissionEntry::risk, &PermissionEntry::apiKeyExempt>())
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
    return describe(field<&RoleBundle::id>().required(), members<&RoleBundle::title, &RoleBundle::roles, &RoleBundle::permissions>());
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
    return describe(field<&ScopeEntry::scope>().required(),
                    members<&ScopeEntry::title, &ScopeEntry::description, &ScopeEntry::permissions, &ScopeEntry::bindable>());
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
    return describe(field<&BindableType::type>().required(),
                    members<&BindableType::title, &BindableType::listUrl, &BindableType::idPattern>());
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
    return describe(field<&ManifestRoute::method>().required(), field<&ManifestRoute::path>().required(),
                    members<&ManifestRoute::permission, &ManifestRoute::scopes, &ManifestRoute::auth>());
}

/// Translated title and description of a manifest's entry.
struct ManifestText
{
    std::string title;
    std::string description;
};

constexpr auto schemaOf(const ManifestText*)
{
    return describe(field<&ManifestText::title>().required(), field<&ManifestText::description>());
}

/// Translations of a manifest: texts by kind and name of its entries.
struct ManifestTexts
{
    std::map<std::string, ManifestText> permissions;
    std::map<std::string, ManifestText> roleBundles;
    std::map<std::string, ManifestText> apiKeyScopes;
    std::map<std::string, ManifestText> bindableResources;
};

constexpr auto schemaOf(const ManifestTexts*)
{
    return describe(members<&ManifestTexts::permissions, &ManifestTexts::roleBundles, &ManifestTexts::apiKeyScopes,
                            &ManifestTexts::bindableResources>());
}

/// Manifest of a service. Contains the members that identity uses; others are stored unchanged. The host has validated it.
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
    std::optional<NativeClient> nativeClient;
    std::vector<PermissionEntry> permissions;
    std::vector<RoleBundle> roleBundles;
    std::vector<ScopeEntry> apiKeyScopes;
    std::vector<BindableType> bindableResources;
    std::vector<ManifestRoute> routes;
    std::vector<std::string> webhookEvents;
    std::vector<std::string> collections;
    /// By language.
    std::map<std::string, ManifestTexts> texts;
    Json schema, plugin, widget, web, retired, mobile, onboarding, landing, store, commerce;
};

constexpr auto schemaOf(const ServiceManifest*)
{
    return describe(
        field<&ServiceManifest::schema>("$schema"), field<&ServiceManifest::manifestVersion>(),
        field<&ServiceManifest::serviceId>("service_id").required(), field<&ServiceManifest::version>(),
        field<&ServiceManifest::name>().required(),
        members<&ServiceManifest::description, &ServiceManifest::vendor, &ServiceManifest::plugin>(),
        field<&ServiceManifest::surfaceKind>("surface_kind"), field<&ServiceManifest::surfaceGroup>("surface_group"),
        field<&ServiceManifest::launchable>(), field<&ServiceManifest::householdCapable>("household_capable"),
        members<&ServiceManifest::personalAccess, &ServiceManifest::contexts, &ServiceManifest::launchUrl, &ServiceManifest::iconUrl,
                &ServiceManifest::callbackUrls, &ServiceManifest::categories, &ServiceManifest::mobile, &ServiceManifest::nativeClient,
                &ServiceManifest::origins, &ServiceManifest::previewOriginPatterns, &ServiceManifest::embedOrigins,
                &ServiceManifest::frontchannelLogoutUrl, &ServiceManifest::backchannelLogoutUrl, &ServiceManifest::widget,
                &ServiceManifest::permissions, &ServiceManifest::roleBundles, &ServiceManifest::apiKeyScopes,
                &ServiceManifest::bindableResources, &ServiceManifest::texts, &ServiceManifest::webhookEvents, &ServiceManifest::routes,
                &ServiceManifest::web, &ServiceManifest::retired, &ServiceManifest::onboarding, &ServiceManifest::landing,
                &ServiceManifest::collections, &ServiceManifest::store, &ServiceManifest::commerce>());
}

} // namespace portico::identity
