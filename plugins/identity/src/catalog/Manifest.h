#pragma once

#include "permissions/Role.h"

#include "portico/Schema.h"

#include <cstdint>
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

enum class ContextKind : std::uint8_t
{
    Organization,
    Personal
};

struct PermissionEntry
{
    std::string permission;
    std::string title;
    std::string description;
    Risk risk = Risk::Low;
    bool apiKeyExempt = false;
};

struct RoleBundle
{
    std::string id;
    std::string title;
    std::vector<Role> roles;
    std::vector<std::string> permissions;
};

struct ScopeEntry
{
    std::string scope;
    std::string title;
    std::string description;
    std::vector<std::string> permissions;
    std::vector<std::string> bindable;
};

struct BindableType
{
    std::string type;
    std::string title;
    std::string listUrl;
    std::string idPattern;
};

struct ManifestRoute
{
    std::string method;
    std::string path;
    std::string permission;
    std::vector<std::string> scopes;
    std::string auth;
};

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
    std::vector<PermissionEntry> permissions;
    std::vector<RoleBundle> roleBundles;
    std::vector<ScopeEntry> apiKeyScopes;
    std::vector<BindableType> bindableResources;
    std::vector<ManifestRoute> routes;
    Json schema, plugin, frontchannelLogoutUrl, backchannelLogoutUrl, widget, mobile, onboarding, landing;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::Risk>
{
    using Risk = portico::identity::Risk;
    static constexpr auto choices = portico::choices<Risk>({{"low", Risk::Low}, {"medium", Risk::Medium}, {"high", Risk::High}});
};

template <>
struct portico::Schema<portico::identity::ContextKind>
{
    using ContextKind = portico::identity::ContextKind;
    static constexpr auto choices =
        portico::choices<ContextKind>({{"organization", ContextKind::Organization}, {"personal", ContextKind::Personal}});
};

template <>
struct portico::Schema<portico::identity::PermissionEntry>
{
    using T = portico::identity::PermissionEntry;
    static constexpr std::string_view name = "Permission";
    static constexpr auto fields =
        describe(field("permission", &T::permission).required(), field("title", &T::title), field("description", &T::description),
                 field("risk", &T::risk), field("apiKeyExempt", &T::apiKeyExempt));
};

template <>
struct portico::Schema<portico::identity::RoleBundle>
{
    using T = portico::identity::RoleBundle;
    static constexpr auto fields = describe(field("id", &T::id).required(), field("title", &T::title), field("roles", &T::roles),
                                            field("permissions", &T::permissions));
};

template <>
struct portico::Schema<portico::identity::ScopeEntry>
{
    using T = portico::identity::ScopeEntry;
    static constexpr auto fields =
        describe(field("scope", &T::scope).required(), field("title", &T::title), field("description", &T::description),
                 field("permissions", &T::permissions), field("bindable", &T::bindable));
};

template <>
struct portico::Schema<portico::identity::BindableType>
{
    using T = portico::identity::BindableType;
    static constexpr auto fields = describe(field("type", &T::type).required(), field("title", &T::title), field("listUrl", &T::listUrl),
                                            field("idPattern", &T::idPattern));
};

template <>
struct portico::Schema<portico::identity::ManifestRoute>
{
    using T = portico::identity::ManifestRoute;
    static constexpr auto fields = describe(field("method", &T::method).required(), field("path", &T::path).required(),
                                            field("permission", &T::permission), field("scopes", &T::scopes), field("auth", &T::auth));
};

template <>
struct portico::Schema<portico::identity::ServiceManifest>
{
    using T = portico::identity::ServiceManifest;
    static constexpr auto fields = describe(
        field("$schema", &T::schema), field("manifestVersion", &T::manifestVersion), field("service_id", &T::serviceId).required(),
        field("version", &T::version), field("name", &T::name).required(), field("description", &T::description),
        field("vendor", &T::vendor), field("plugin", &T::plugin), field("surface_kind", &T::surfaceKind),
        field("surface_group", &T::surfaceGroup), field("launchable", &T::launchable), field("household_capable", &T::householdCapable),
        field("personalAccess", &T::personalAccess), field("contexts", &T::contexts), field("launchUrl", &T::launchUrl),
        field("iconUrl", &T::iconUrl), field("callbackUrls", &T::callbackUrls), field("categories", &T::categories),
        field("mobile", &T::mobile), field("origins", &T::origins), field("previewOriginPatterns", &T::previewOriginPatterns),
        field("embedOrigins", &T::embedOrigins), field("frontchannelLogoutUrl", &T::frontchannelLogoutUrl),
        field("backchannelLogoutUrl", &T::backchannelLogoutUrl), field("widget", &T::widget), field("permissions", &T::permissions),
        field("roleBundles", &T::roleBundles), field("apiKeyScopes", &T::apiKeyScopes), field("bindableResources", &T::bindableResources),
        field("routes", &T::routes), field("onboarding", &T::onboarding), field("landing", &T::landing));
};
