#pragma once

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
    std::string type; ///< `string`, `integer`, `boolean`, `seconds`
    std::optional<std::string> defaultValue;
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    std::string description;
};

struct InterfaceReference
{
    std::string interface;
    std::string version;
};

/// A plugin's manifest.json, checked: what the host itself needs of it, and the whole text for the registry.
struct Manifest
{
    std::filesystem::path file;
    std::string text;
    std::string sha256;

    std::string serviceId;
    std::string version;
    std::string name;
    std::string library;
    unsigned sdkEpoch = 0;
    unsigned sdkMinMinor = 0;
    std::vector<InterfaceReference> needs;
    std::vector<InterfaceReference> provides;
    std::optional<std::filesystem::path> migrations;
    std::map<std::string, ManifestSetting, std::less<>> config;
    int startSeconds = 20;
    int drainSeconds = 30;
    bool unmap = true;

    std::vector<std::string> origins;
    std::vector<std::string> previewOriginPatterns;
    std::vector<std::string> embedOrigins;
    /// Full names, sorted.
    std::vector<std::string> permissions;
    std::vector<std::string> apiKeyScopes;

    std::filesystem::path directory() const { return file.parent_path(); }
    bool hasPermission(std::string_view permission) const;
    bool hasScope(std::string_view scope) const;
};

} // namespace portico::host::plugins
