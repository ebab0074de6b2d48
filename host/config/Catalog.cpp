#include "host/config/Catalog.h"

#include "host/base/Text.h"

#include <algorithm>

namespace portico::host::config
{

namespace
{

constexpr std::string_view placeholder = "<id>";

constexpr bool isIdCharacter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/// The text that stands in the place of `<id>`, or empty.
std::string_view idIn(std::string_view pattern, std::string_view key) noexcept
{
    const auto at = pattern.find(placeholder);
    if (at == std::string_view::npos) return {};
    const auto before = pattern.substr(0, at);
    const auto after = pattern.substr(at + placeholder.size());
    if (key.size() <= before.size() + after.size() || !key.starts_with(before) || !key.ends_with(after)) return {};
    return key.substr(at, key.size() - before.size() - after.size());
}

std::string environmentForm(std::string_view key)
{
    std::string name(key);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c == '.' || c == '-'   ? '_'
                                       : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A')
                                                              : c; });
    return name;
}

/// `SERVICES_CRM_ENABLED` against `services.<id>.enabled`.
std::string keyFromPattern(std::string_view pattern, std::string_view name)
{
    const auto at = pattern.find(placeholder);
    if (at == std::string_view::npos) return {};
    const auto before = environmentForm(pattern.substr(0, at));
    const auto after = environmentForm(pattern.substr(at + placeholder.size()));
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return {};
    std::string id(name.substr(before.size(), name.size() - before.size() - after.size()));
    std::transform(id.begin(), id.end(), id.begin(),
                   [](char c) { return c == '_'               ? '-'
                                       : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a')
                                                              : c; });
    return std::string(pattern).replace(at, placeholder.size(), id);
}

/// The pattern with the service id that the misspelt key seems to mean, so that the proposal can be copied.
std::string proposal(std::string_view pattern, std::string_view key)
{
    const auto at = pattern.find(placeholder);
    if (at == std::string_view::npos) return std::string(pattern);
    const auto dot = key.find('.');
    const auto end = dot == std::string_view::npos ? dot : key.find('.', dot + 1);
    if (end == std::string_view::npos) return std::string(pattern);
    return std::string(pattern).replace(at, placeholder.size(), key.substr(dot + 1, end - dot - 1));
}

} // namespace

bool matchesPattern(std::string_view pattern, std::string_view key) noexcept
{
    const auto id = idIn(pattern, key);
    return !id.empty() && std::all_of(id.begin(), id.end(), isIdCharacter);
}

Catalog::Catalog(std::vector<DeclaredSetting> declared)
{
    for (auto& setting : declared)
    {
        auto key = setting.key;
        _declared.emplace(std::move(key), std::move(setting));
    }
}

std::optional<Rule> Catalog::find(std::string_view key) const
{
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings)
            if (setting.key == key || matchesPattern(setting.key, key))
                return Rule{setting.kind,
                            setting.minimum,
                            setting.maximum,
                            setting.choices,
                            std::string(setting.defaultValue),
                            setting.applies,
                            {}};
    const auto found = _declared.find(key);
    if (found == _declared.end()) return std::nullopt;
    const auto& setting = found->second;
    Rule rule;
    rule.kind = setting.kind;
    rule.defaultValue = setting.defaultValue;
    rule.applies = Applies::Live;
    rule.serviceId = setting.serviceId;
    rule.fault = setting.fault;
    return rule;
}

std::string Catalog::nearest(std::string_view key) const
{
    std::vector<std::string> known;
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings) known.push_back(proposal(setting.key, key));
    for (const auto& [declared, setting] : _declared) known.push_back(declared);
    return nearestName(key, known);
}

std::string Catalog::fromEnvironment(std::string_view name) const
{
    for (const auto& [key, setting] : _declared)
        if (environmentForm(key) == name) return key;
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings)
        {
            if (environmentForm(setting.key) == name) return std::string(setting.key);
            if (auto key = keyFromPattern(setting.key, name); !key.empty()) return key;
        }
    return {};
}

} // namespace portico::host::config
