#include "host/config/Catalog.h"

#include "host/base/Text.h"

#include <cctype>
#include <vector>

namespace portico::host::config
{

namespace
{

constexpr std::string_view placeholder = "<id>";

/// Returns the text between the given beginning and end; empty if the text has another form.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) noexcept
{
    if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after)) return {};
    return text.substr(before.size(), text.size() - before.size() - after.size());
}

std::string environmentForm(std::string_view key)
{
    std::string name(key);
    for (char& c : name) c = c == '.' || c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

/// `SERVICES_CRM_ENABLED` against `services.<id>.enabled`.
std::string keyFromPattern(std::string_view pattern, std::string_view name)
{
    const auto at = pattern.find(placeholder);
    if (at == std::string_view::npos) return {};
    std::string id(between(name, environmentForm(pattern.substr(0, at)), environmentForm(pattern.substr(at + placeholder.size()))));
    for (char& c : id) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return id.empty() ? id : std::string(pattern).replace(at, placeholder.size(), id);
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

std::string_view serviceIn(std::string_view pattern, std::string_view key) noexcept
{
    const auto at = pattern.find(placeholder);
    if (at == std::string_view::npos) return {};
    const auto id = between(key, pattern.substr(0, at), pattern.substr(at + placeholder.size()));
    return id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos ? id : std::string_view();
}

std::optional<Rule> Catalog::find(std::string_view key) const
{
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings)
            if (setting.key == key || !serviceIn(setting.key, key).empty())
                return Rule{setting.kind,
                            setting.minimum,
                            setting.maximum,
                            setting.choices,
                            std::string(setting.defaultValue),
                            setting.applies,
                            {},
                            {}};
    const auto found = _declared.find(key);
    return found == _declared.end() ? std::nullopt : std::optional(found->second);
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
