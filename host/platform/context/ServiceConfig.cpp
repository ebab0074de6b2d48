#include "host/platform/context/ServiceConfig.h"

#include <charconv>
#include <cstdint>
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

std::string expectedBy(const ManifestSetting& setting)
{
    if (setting.type == "boolean") return "true or false";
    if (setting.type == "integer") return "an integer" + rangeOf(setting);
    if (setting.type == "seconds") return "a whole number of seconds" + rangeOf(setting);
    return "a text";
}

bool fitsNumber(const ManifestSetting& setting, std::string_view text)
{
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end) return false;
    return (!setting.minimum || number >= *setting.minimum) && (!setting.maximum || number <= *setting.maximum);
}

bool fits(const ManifestSetting& setting, std::string_view text)
{
    if (setting.type == "boolean") return text == "true" || text == "false";
    if (setting.type == "integer" || setting.type == "seconds") return fitsNumber(setting, text);
    return true;
}

/// The host's own settings that services with limits of their own follow.
constexpr std::string_view sharedSettings[] = {"limits.rates", "limits.requestsPerMinute"};

std::optional<std::string> valueOf(const std::string& key, const ManifestSetting& setting, const Settings& settings)
{
    if (const auto found = settings.find(key); found != settings.end()) return found->second;
    return setting.defaultValue;
}

} // namespace

std::string SettingFault::text() const
{
    return key + ": expected " + expected + ", found " + (found.empty() ? "nothing" : "\"" + found + "\"");
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
    if (const auto faults = checkSettings(manifest, settings); !faults.empty())
    {
        std::string text = "settings of " + manifest.serviceId + " that it cannot take:";
        for (const auto& fault : faults) text += "\n  " + fault.text();
        throw std::runtime_error(text);
    }
    Settings values;
    for (const auto& [key, setting] : manifest.config)
        if (auto value = valueOf(key, setting, settings)) values.emplace(key, *std::move(value));
    for (const auto key : sharedSettings)
        if (const auto shared = settings.find(key); shared != settings.end()) values.insert(*shared);
    return Config(std::move(values));
}

} // namespace portico::host::platform
