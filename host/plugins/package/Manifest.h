#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// A setting that a plugin declares, with its default as text.
struct ManifestSetting
{
    std::string type; ///< `string`, `integer`, `boolean`, `seconds`, `choice`, `list`, `url`, `secretFile`
    std::optional<std::string> defaultValue;
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    std::string description;
    /// For a choice: its values. For a list: the allowed items; empty allows any.
    std::vector<std::string> choices = {};
};

struct InterfaceReference
{
    std::string interface;
    /// Provided: `1.2`. Needed: `^1`, `^1.2` or `1.2`.
    std::string version;
    /// Needed, but the plugin also runs if no provider is installed.
    bool optional = false;
    /// Provided, and other plugins may provide it too.
    bool many = false;
};

/// The pages that a service has for browsers (`web`): files, and the paths that one of them, index.html, answers.
struct ManifestPages
{
    /// The folder of the files, relative to the manifest.
    std::string root;
    /// Where `/` leads; empty: nowhere.
    std::string home;
    /// `/dashboard`, `/contacts/{id}`, `/contacts/**`.
    std::vector<std::string> routes;
    /// index.html answers the paths of the sign-in, too.
    bool signIn = false;
    /// Sources by directive of the security policy, where they are fewer than the host's.
    std::map<std::string, std::vector<std::string>, std::less<>> policy;

    /// The routes with those of the sign-in.
    std::vector<std::string> allRoutes() const
    {
        auto all = routes;
        if (signIn) all.insert(all.end(), {"/login", "/auth/callback", "/auth/launch/{service_id}"});
        return all;
    }
};

/// A retired path of an earlier version of the service (`retired`): 410.
struct RetiredPath
{
    enum class Origins : std::uint8_t
    {
        Own,
        Others, ///< of all other services
        Every
    };
    /// A pattern as routes have, or `/path/**`.
    std::string path = {};
    /// Query parameter with which it is retired; empty: always.
    std::string query = {};
    Origins origins = Origins::Own;
};

/// A plugin's manifest.json, checked: what the host itself needs of it, and the whole text for the registry. A value; never changed once
/// read.
struct Manifest
{
    std::filesystem::path file;
    std::string text;
    std::string sha256;

    std::string serviceId;
    std::string version;
    std::string name;
    /// A sentence about the service, for people; empty: none.
    std::string description;
    std::string library;
    /// Lower-case hexadecimal, or empty when the manifest pins none.
    std::string librarySha256;
    /// Programs that the host runs for single pieces of work, relative to the manifest.
    std::vector<std::string> helpers;
    unsigned sdkEpoch = 0;
    unsigned sdkMinMinor = 0;
    std::vector<InterfaceReference> needs;
    std::vector<InterfaceReference> provides;
    std::optional<std::filesystem::path> migrations;
    std::string migrationsSha256;
    std::map<std::string, ManifestSetting, std::less<>> config;
    int startSeconds = 20;
    int drainSeconds = 30;
    bool unmap = true;
    /// `/health` answers 200 as long as the service runs, and has no more than status, version, and name, status and latency of
    /// dependencies.
    bool briefHealth = false;

    /// The contexts that callers may come from (`contexts`).
    bool servesOrganizations = true;
    bool servesPersonal = false;
    std::optional<ManifestPages> web;
    std::vector<RetiredPath> retired;
    std::vector<std::string> origins;
    std::vector<std::string> previewOriginPatterns;
    std::vector<std::string> embedOrigins;
    /// Full names, sorted.
    std::vector<std::string> permissions;
    /// By permission: `details` of the problem for callers without it, as JSON: its name, and its title by language.
    std::map<std::string, std::string, std::less<>> refusals;
    /// Those of them that no API key opens, sorted.
    std::vector<std::string> apiKeyExempt;
    /// Sorted.
    std::vector<std::string> apiKeyScopes;
    /// The types of resources that a grant may narrow a scope to, by scope; scopes without any are missing.
    std::map<std::string, std::vector<std::string>, std::less<>> bindable;
    /// All types of `bindableResources`, sorted.
    std::vector<std::string> bindableTypes;

    std::filesystem::path directory() const { return file.parent_path(); }
    bool offers(std::string_view interface) const
    {
        return std::ranges::find(provides, interface, &InterfaceReference::interface) != provides.end();
    }
    bool hasPermission(std::string_view permission) const { return std::ranges::binary_search(permissions, permission); }
    bool hasScope(std::string_view scope) const { return std::ranges::binary_search(apiKeyScopes, scope); }
    /// Returns true if callers with this active organization (empty: personal context) are allowed.
    bool servesContext(std::string_view organization) const noexcept { return organization.empty() ? servesPersonal : servesOrganizations; }
    bool exemptsFromKeys(std::string_view permission) const { return std::ranges::binary_search(apiKeyExempt, permission); }
};

} // namespace portico::host::plugins
