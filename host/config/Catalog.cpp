#include "host/config/Catalog.h"

#include <algorithm>
#include <numeric>

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

std::size_t distance(std::string_view left, std::string_view right)
{
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < right.size(); ++j)
        {
            const auto replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row[right.size()];
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
    std::string best;
    // Further away than a third of the key is another word, not a misspelling.
    std::size_t bestDistance = key.size() / 3 + 1;
    const auto consider = [&](std::string candidate)
    {
        const auto away = distance(candidate, key);
        if (away >= bestDistance) return;
        bestDistance = away;
        best = std::move(candidate);
    };
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings) consider(proposal(setting.key, key));
    for (const auto& [known, setting] : _declared) consider(known);
    return best;
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
