#include "exchange/Presets.h"

#include "exchange/GenericColumns.h"
#include "exchange/PresetTables.h"
#include "text/Folding.h"

#include <algorithm>
#include <span>

namespace portico::crm
{

namespace
{

using Bindings = std::vector<std::optional<Binding>>;

bool sameName(std::string_view left, std::string_view right)
{
    return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                     [](char a, char b)
                                                     {
                                                         const auto lower = [](char c)
                                                         { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
                                                         return lower(a) == lower(b);
                                                     });
}

const KnownColumn* findColumn(std::span<const KnownColumn> columns, std::string_view name)
{
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const KnownColumn& c) { return sameName(c.name, name); });
    return found == columns.end() ? nullptr : &*found;
}

/// The number and the part of `E-mail 12 - Value`.
std::optional<Binding> numberedBinding(std::string_view name)
{
    for (const auto& column : googleNumberedColumns())
    {
        if (name.size() < column.list.size() + 6 || !sameName(name.substr(0, column.list.size()), column.list)) continue;
        const auto dash = name.find(" - ");
        if (dash == std::string_view::npos || !sameName(name.substr(dash + 3), column.part)) continue;
        const auto path =
            FieldPath::parse("websites[" + std::string(trim(name.substr(column.list.size(), dash - column.list.size()))) + ']');
        if (!path || path->index == 0) return std::nullopt;
        return Binding{{column.target, path->index - 1, {}}, {}, ListStyle::Colons, true, column.whole};
    }
    return std::nullopt;
}

Bindings knownBindings(std::span<const KnownColumn> columns, const std::vector<std::string>& names)
{
    Bindings bindings;
    for (const auto& name : names)
    {
        auto& binding = bindings.emplace_back();
        if (const auto* column = findColumn(columns, name))
            binding = Binding{{column->target, column->index, std::string(column->key)}, column->label, column->list, false, false};
    }
    return bindings;
}

Bindings googleBindings(std::span<const KnownColumn> columns, const std::vector<std::string>& names)
{
    auto bindings = knownBindings(columns, names);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (!bindings[i]) bindings[i] = numberedBinding(names[i]);
        if (!bindings[i]) continue;
        bindings[i]->foreignLabels = true;
        const auto target = bindings[i]->path.target;
        if (target != Target::Notes && target != Target::Birthday) bindings[i]->list = ListStyle::Colons;
    }
    return bindings;
}

class Header
{
public:
    explicit Header(const std::vector<std::string>& names) : _names(names) {}
    bool has(std::string_view name) const
    {
        return std::any_of(_names.begin(), _names.end(), [&](const std::string& other) { return sameName(other, name); });
    }
    bool hasAny(std::initializer_list<std::string_view> names) const
    {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return has(name); });
    }

private:
    const std::vector<std::string>& _names;
};

} // namespace

ImportPreset recognisePreset(const std::vector<std::string>& names)
{
    const Header header(names);
    // Google leaves out the numbered columns that no contact needs.
    if (header.has("First Name") && (header.has("E-mail 1 - Value") || (header.has("Labels") && header.has("Organization Name"))))
        return ImportPreset::Google;
    if (header.has("Given Name") && header.hasAny({"E-mail 1 - Type", "E-mail 1 - Value", "Group Membership"}))
        return ImportPreset::GoogleLegacy;
    if (header.has("E-mail Address") && header.hasAny({"Business Street", "Business Phone"})) return ImportPreset::Outlook;
    if (header.hasAny({"Record ID", "Record ID - Contact"}) && header.has("Email")) return ImportPreset::Hubspot;
    return ImportPreset::Generic;
}

Bindings presetBindings(ImportPreset preset, const std::vector<std::string>& names)
{
    switch (preset)
    {
    case ImportPreset::Google:
        return googleBindings(googleColumns(), names);
    case ImportPreset::GoogleLegacy:
        return googleBindings(googleLegacyColumns(), names);
    case ImportPreset::Outlook:
        return knownBindings(outlookColumns(), names);
    case ImportPreset::Hubspot:
        return knownBindings(hubspotColumns(), names);
    default:
        return genericBindings(names);
    }
}

ListStyle listStyleOf(ImportPreset preset, Target target)
{
    if (target != Target::Tags && target != Target::Emails && target != Target::Phones && target != Target::Websites)
        return ListStyle::None;
    if (preset == ImportPreset::Google || preset == ImportPreset::GoogleLegacy) return ListStyle::Colons;
    if (preset == ImportPreset::Outlook || preset == ImportPreset::Hubspot) return ListStyle::Semicolon;
    return ListStyle::Escaped;
}

} // namespace portico::crm
