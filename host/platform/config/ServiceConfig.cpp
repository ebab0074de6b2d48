#include "host/platform/config/ServiceConfig.h"

#include "host/base/Text.h"

#include "portico/Text.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace portico::host::platform
{

namespace
{

using plugins::ManifestSetting;

std::string rangeOf(const ManifestSetting& setting)
{
    std::string text;
    if (setting.minimum) text += " from " + std::to_string(*setting.minimum);
    if (setting.maximum) text += " up to " + std::to_string(*setting.maximum);
    return text;
}

auto isOneOf(const std::vector<std::string>& words)
{
    return [&words](const std::string& item) { return std::ranges::find(words, item) != words.end(); };
}

std::string expectedBy(const ManifestSetting& setting)
{
    if (setting.type == "boolean") return "true or false";
    if (setting.type == "integer") return "an integer" + rangeOf(setting);
    if (setting.type == "seconds") return "a whole number of seconds" + rangeOf(setting);
    if (setting.type == "choice") return "one of " + listed(setting.choices);
    if (setting.type == "list") return "items separated by commas, each of them one of " + listed(setting.choices);
    if (setting.type == "url") return "an http or https URL, for example https://example.org/path";
    if (setting.type == "secretFile") return "the path of a file with the secret";
    return "a text";
}

bool fitsNumber(const ManifestSetting& setting, std::string_view text)
{
    const auto number = parseNumber<std::int64_t>(text);
    return number && (!setting.minimum || *number >= *setting.minimum) && (!setting.maximum || *number <= *setting.maximum);
}

bool fits(const ManifestSetting& setting, std::string_view text)
{
    if (setting.type == "boolean") return text == "true" || text == "false";
    if (setting.type == "integer" || setting.type == "seconds") return fitsNumber(setting, text);
    if (setting.type == "choice") return std::ranges::find(setting.choices, text) != setting.choices.end();
    if (setting.type == "list") return setting.choices.empty() || std::ranges::all_of(splitList(text), isOneOf(setting.choices));
    // None is a value where the manifest says so.
    if (setting.type == "url") return isWebUrl(text) || (text.empty() && setting.defaultValue == "");
    if (setting.type == "secretFile") return !text.empty() || setting.defaultValue == "";
    return true;
}

constexpr std::size_t largestSecret = 64 * 1024;

/// The content of a secret's file without white space at its ends. A fault never repeats any of it.
std::optional<std::string> readSecret(const std::string& path)
{
    std::error_code error;
    // A pipe would keep the start waiting.
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    std::string content(largestSecret + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(file.gcount()));
    const auto secret = trim(content);
    if (secret.empty() || content.size() > largestSecret) return std::nullopt;
    return std::string(secret);
}

void takeSecret(const std::string& key, const std::string& path, Settings& secrets, std::vector<SettingFault>& faults)
{
    if (path.empty())
        secrets.emplace(key, "");
    else if (auto secret = readSecret(path))
        secrets.emplace(key, *std::move(secret));
    else
        faults.push_back({key, "a file with a secret of up to 64 KiB that the daemon may read", path,
                          "write the secret into it, and let only the daemon's user read it (chmod 600)"});
}

/// Settings of the host that also apply to limits of services.
constexpr std::string_view sharedSettings[] = {"limits.rates", "limits.requestsPerMinute"};

std::optional<std::string> valueOf(const std::string& key, const ManifestSetting& setting, const Settings& settings)
{
    if (const auto found = settings.find(key); found != settings.end()) return found->second;
    return setting.defaultValue;
}

} // namespace

std::string SettingFault::text() const
{
    return key + ": expected " + expected + ", found " + (found.empty() ? "nothing" : "\"" + found + "\"") +
           (remedy.empty() ? "" : ": " + remedy);
}

std::string settingFault(const ManifestSetting& setting, std::string_view value)
{
    return fits(setting, value) ? std::string() : expectedBy(setting);
}

std::vector<SettingFault> checkSettings(const plugins::Manifest& manifest, const Settings& settings)
{
    std::vector<SettingFault> faults;
    for (const auto& [key, setting] : manifest.config)
    {
        const auto value = valueOf(key, setting, settings);
        if (value && !fits(setting, *value)) faults.push_back({key, expectedBy(setting), *value});
    }
    return faults;
}

Config makeConfig(const plugins::Manifest& manifest, const Settings& settings)
{
    auto faults = checkSettings(manifest, settings);
    Settings values;
    Settings secrets;
    for (const auto& [key, setting] : manifest.config)
    {
        auto value = valueOf(key, setting, settings);
        if (!value) continue;
        if (setting.type == "secretFile") takeSecret(key, *value, secrets, faults);
        values.emplace(key, *std::move(value));
    }
    if (!faults.empty())
    {
        std::string text = "settings of " + manifest.serviceId + " that are not valid:";
        for (const auto& fault : faults) text += "\n  " + fault.text();
        throw std::runtime_error(text);
    }
    for (const auto key : sharedSettings)
        if (const auto shared = settings.find(key); shared != settings.end()) values.insert(*shared);
    return Config(std::move(values), std::move(secrets));
}

} // namespace portico::host::platform
