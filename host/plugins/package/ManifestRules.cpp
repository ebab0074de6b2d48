#include "host/plugins/package/ManifestRules.h"

#include "host/base/Text.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace portico::host::plugins
{

namespace json = boost::json;

namespace
{
const json::array& list(const json::object& object, std::string_view name)
{
    static const json::array none;
    const auto* found = object.if_contains(name);
    return found ? found->as_array() : none;
}

std::string textOf(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found ? std::string(found->as_string()) : std::string();
}

bool flag(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found && found->as_bool();
}

std::string element(std::string_view name, std::size_t index) { return std::string(name) + "[" + std::to_string(index) + "]"; }

/// Does `crm.*:read` cover `crm.contacts:read`? Either part of a pattern may be a star.
bool covers(std::string_view pattern, std::string_view permission)
{
    const auto part = [](std::string_view whole, char separator, bool first)
    {
        const auto at = whole.rfind(separator);
        return first ? whole.substr(0, at) : whole.substr(at + 1);
    };
    const auto same = [](std::string_view wanted, std::string_view found) { return wanted == "*" || wanted == found; };
    const auto patternLeft = part(pattern, ':', true);
    const auto left = part(permission, ':', true);
    return part(patternLeft, '.', true) == part(left, '.', true) && same(part(patternLeft, '.', false), part(left, '.', false)) &&
           same(part(pattern, ':', false), part(permission, ':', false));
}

class Rules
{
public:
    explicit Rules(const json::object& manifest) : _manifest(manifest), _service(textOf(manifest, "service_id")) {}

    std::vector<SchemaFault> check()
    {
        collectPermissions();
        checkLaunch();
        checkBundles();
        checkScopes();
        checkInterfaces();
        checkSettings();
        return std::move(_faults);
    }

private:
    void collectPermissions()
    {
        const auto& permissions = list(_manifest, "permissions");
        for (std::size_t i = 0; i < permissions.size(); ++i)
        {
            const auto& entry = permissions[i].as_object();
            const auto name = textOf(entry, "permission");
            const auto place = element("permissions", i) + ".permission";
            if (!name.starts_with(_service + "."))
                fault(place, "expected a name that begins with '" + _service + ".', found \"" + name + "\"");
            once(_permissions, name, place);
            if (flag(entry, "apiKeyExempt")) _exempt.insert(name);
        }
        unique("bindableResources", "type", _bindable);
    }

    void checkLaunch()
    {
        if (!flag(_manifest, "launchable")) return;
        if (textOf(_manifest, "surface_kind") != "application")
            fault("launchable", "expected surface_kind \"application\" with launchable true, found \"" + textOf(_manifest, "surface_kind") +
                                    "\": set launchable to false or change the kind");
        if (textOf(_manifest, "launchUrl").empty())
            fault("launchable", "expected a launchUrl with launchable true, found none: add one, as \"/\"");
    }

    void checkBundles()
    {
        std::set<std::string> ids;
        unique("roleBundles", "id", ids);
        const auto& bundles = list(_manifest, "roleBundles");
        for (std::size_t i = 0; i < bundles.size(); ++i)
        {
            const auto& patterns = list(bundles[i].as_object(), "permissions");
            for (std::size_t k = 0; k < patterns.size(); ++k)
            {
                const std::string pattern(patterns[k].as_string());
                if (std::ranges::any_of(_permissions, [&](const auto& permission) { return covers(pattern, permission); })) continue;
                unknown(element(element("roleBundles", i) + ".permissions", k), pattern, _permissions, "permissions");
            }
        }
    }

    void checkScopes()
    {
        std::set<std::string> scopes;
        unique("apiKeyScopes", "scope", scopes);
        const auto& entries = list(_manifest, "apiKeyScopes");
        for (std::size_t i = 0; i < entries.size(); ++i)
        {
            const auto place = element("apiKeyScopes", i);
            const auto& scope = entries[i].as_object();
            references(list(scope, "permissions"), place + ".permissions", _permissions, "permissions");
            references(list(scope, "bindable"), place + ".bindable", _bindable, "bindableResources");
            const auto& permissions = list(scope, "permissions");
            for (std::size_t k = 0; k < permissions.size(); ++k)
                if (_exempt.contains(std::string(permissions[k].as_string())))
                    fault(element(place + ".permissions", k), "expected a permission that keys may have, found \"" +
                                                                  std::string(permissions[k].as_string()) +
                                                                  "\", which is apiKeyExempt: remove one of the two");
        }
    }

    void checkInterfaces()
    {
        const auto& plugin = _manifest.at("plugin").as_object();
        for (const auto* kind : {"requires", "provides"})
        {
            std::set<std::string> names;
            const auto& entries = list(plugin, kind);
            for (std::size_t i = 0; i < entries.size(); ++i)
                once(names, textOf(entries[i].as_object(), "interface"), element("plugin." + std::string(kind), i) + ".interface");
        }
    }

    void checkSettings()
    {
        const auto* config = _manifest.at("plugin").as_object().if_contains("config");
        if (!config) return;
        for (const auto& [key, value] : config->as_object())
        {
            const std::string name(key);
            const auto place = "plugin.config." + name;
            if (!name.starts_with(_service + "."))
                fault(place, "expected a name that begins with '" + _service + ".', found \"" + name + "\"");
            checkChoices(value.as_object(), place + ".choices");
            checkDefault(value.as_object(), place + ".default");
        }
    }

    void checkChoices(const json::object& setting, const std::string& place)
    {
        const auto type = textOf(setting, "type");
        const bool has = setting.contains("choices");
        if (type == "choice" && !has) fault(place, "expected the words of the choice, found none");
        if (has && type != "choice" && type != "list") fault(place, "expected choices with the type \"choice\" or \"list\" only");
    }

    void checkDefault(const json::object& setting, const std::string& place)
    {
        const auto* value = setting.if_contains("default");
        if (!value) return;
        const auto type = textOf(setting, "type");
        const bool isNumber = type == "integer" || type == "seconds";
        const bool right = isNumber            ? value->is_int64()
                           : type == "boolean" ? value->is_bool()
                           : type == "list"    ? value->is_array()
                                               : value->is_string();
        if (!right)
            return fault(place, "expected a default of the type \"" + type + "\"" + (type == "seconds" ? " (an integer)" : "") +
                                    (type == "list" ? " (an array of texts)" : ""));
        const auto& words = list(setting, "choices");
        const auto known = [&](const json::value& word) { return words.empty() || std::ranges::find(words, word) != words.end(); };
        if (value->is_array() ? !std::ranges::all_of(value->as_array(), known) : value->is_string() && !known(*value))
            fault(place, "expected a default of the choices, found " + json::serialize(*value));
        if (!value->is_int64()) return;
        const auto* least = setting.if_contains("minimum");
        const auto* most = setting.if_contains("maximum");
        if ((least && value->as_int64() < least->as_int64()) || (most && value->as_int64() > most->as_int64()))
            fault(place, "expected a default between minimum and maximum, found " + std::to_string(value->as_int64()));
    }

    /// Collects the named member of each element and complains about one that stands twice.
    void unique(std::string_view kind, std::string_view member, std::set<std::string>& names)
    {
        const auto& entries = list(_manifest, kind);
        for (std::size_t i = 0; i < entries.size(); ++i)
            once(names, textOf(entries[i].as_object(), member), element(kind, i) + "." + std::string(member));
    }

    void once(std::set<std::string>& names, const std::string& name, const std::string& place)
    {
        if (!names.insert(name).second) fault(place, "expected each name once, found \"" + name + "\" again: remove it");
    }

    void references(const json::array& names, const std::string& place, const std::set<std::string>& known, std::string_view kind)
    {
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            const std::string name(names[i].as_string());
            if (!known.contains(name)) unknown(element(place, i), name, known, kind);
        }
    }

    void unknown(const std::string& place, const std::string& name, const std::set<std::string>& known, std::string_view kind)
    {
        const std::vector<std::string> names(known.begin(), known.end());
        const auto meant = nearestName(name, names);
        fault(place, "expected a name that '" + std::string(kind) + "' lists, found \"" + name +
                         "\": " + (meant.empty() ? std::string("add it there or remove it here") : "did you mean \"" + meant + "\"?"));
    }

    void fault(std::string member, std::string what) { _faults.push_back({std::move(member), std::move(what)}); }

    const json::object& _manifest;
    std::string _service;
    std::set<std::string> _permissions;
    std::set<std::string> _exempt;
    std::set<std::string> _bindable;
    std::vector<SchemaFault> _faults;
};
} // namespace

std::vector<SchemaFault> checkManifestRules(const json::object& manifest) { return Rules(manifest).check(); }

} // namespace portico::host::plugins
