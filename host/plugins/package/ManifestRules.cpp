#include "host/base/Text.h"
#include "host/plugins/package/ManifestReader.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace portico::host::plugins
{

namespace json = boost::json;

namespace
{
/// Each element of a list with its place, as `requires[0]`.
void forEach(const json::array& list, const std::string& name, const std::function<void(const json::value&, const std::string&)>& visit)
{
    for (std::size_t i = 0; i < list.size(); ++i) visit(list[i], name + "[" + std::to_string(i) + "]");
}

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

/// Returns true if a page route matches a path; a parameter matches anything.
bool pageAnswers(std::string_view route, std::string_view path)
{
    const bool below = route.ends_with("/**");
    if (below) route.remove_suffix(3);
    for (;;)
    {
        const auto part = route.substr(0, route.find('/', 1));
        const auto found = path.substr(0, path.find('/', 1));
        if (part.starts_with("/{") ? found.empty() : part != found) return false;
        route.remove_prefix(part.size());
        path.remove_prefix(found.size());
        if (route.empty()) return path.empty() || below;
    }
}

/// Returns the owner of a path that pages cannot have; empty if they can. Compares only the first segment, so that pages never hide routes
/// of a plugin's API.
std::string ownerOf(std::string_view route, bool signIn)
{
    const auto first = route.substr(0, route.find('/', 1));
    for (const auto own : {"/api", "/docs", "/openapi.json", "/health", "/healthz", "/readyz", "/sso", "/portico"})
        if (first == own) return "the host's or the API's";
    if (first.starts_with("/{")) return "any path";
    return signIn && (first == "/login" || first == "/auth") ? "of the sign-in (web.signIn)" : std::string();
}

class Rules
{
public:
    explicit Rules(const json::object& manifest) : _manifest(manifest), _service(textOf(manifest, "service_id")) {}

    std::vector<SchemaFault> check()
    {
        collectPermissions();
        checkEvents();
        checkLaunch();
        checkPages();
        checkRetired();
        checkBundles();
        checkScopes();
        checkTexts();
        checkInterfaces();
        checkSettings();
        return std::move(_faults);
    }

private:
    void collectPermissions()
    {
        forEach(listOf(_manifest, "permissions"), "permissions",
                [this](const json::value& entry, const std::string& place)
                {
                    const auto name = textOf(entry.as_object(), "permission");
                    requireOwn(name, place + ".permission");
                    once(_permissions, name, place + ".permission");
                    if (flagOf(entry.as_object(), "apiKeyExempt")) _exempt.insert(name);
                });
        unique("bindableResources", "type", _bindable);
    }

    void checkEvents()
    {
        std::set<std::string> events;
        forEach(listOf(_manifest, "webhookEvents"), "webhookEvents",
                [&](const json::value& entry, const std::string& place)
                {
                    const std::string name(entry.as_string());
                    requireOwn(name, place);
                    once(events, name, place);
                });
    }

    void checkLaunch()
    {
        if (!flagOf(_manifest, "launchable")) return;
        if (textOf(_manifest, "surface_kind") != "application")
            fault("launchable", "expected surface_kind \"application\" with launchable true, found \"" + textOf(_manifest, "surface_kind") +
                                    "\": set launchable to false or change the kind");
        if (textOf(_manifest, "launchUrl").empty())
            fault("launchable", "expected a launchUrl with launchable true, found none: add one, as \"/\"");
    }

    void checkPages()
    {
        const auto* web = _manifest.if_contains("web");
        if (!web) return;
        const auto& pages = web->as_object();
        const auto home = textOf(pages, "home");
        bool answered = home.empty();
        forEach(listOf(pages, "routes"), "web.routes",
                [&](const json::value& entry, const std::string& place)
                {
                    const std::string_view route = entry.as_string();
                    answered = answered || pageAnswers(route, home);
                    if (const auto whose = ownerOf(route, flagOf(pages, "signIn")); !whose.empty())
                        fault(place, "expected a path of the service's own, found \"" + std::string(route) + "\", which is " + whose +
                                         ": choose another");
                });
        if (!answered) fault("web.home", "expected a path that web.routes has, found \"" + home + "\": add it there");
    }

    void checkRetired()
    {
        std::set<std::string> paths;
        forEach(listOf(_manifest, "retired"), "retired",
                [&](const json::value& entry, const std::string& place)
                {
                    const auto& path = entry.as_object();
                    const auto query = textOf(path, "query");
                    once(paths, textOf(path, "path") + (query.empty() ? "" : "?" + query), place + ".path");
                });
    }

    void checkBundles()
    {
        unique("roleBundles", "id", _bundles);
        forEach(listOf(_manifest, "roleBundles"), "roleBundles",
                [this](const json::value& bundle, const std::string& place)
                {
                    const auto isKnown = [this](const std::string& pattern)
                    { return std::ranges::any_of(_permissions, [&](const auto& permission) { return covers(pattern, permission); }); };
                    references(bundle, place, "permissions", isKnown, _permissions, "permissions");
                });
    }

    void checkScopes()
    {
        unique("apiKeyScopes", "scope", _scopes);
        const auto in = [](const std::set<std::string>& names)
        { return [&names](const std::string& name) { return names.contains(name); }; };
        forEach(listOf(_manifest, "apiKeyScopes"), "apiKeyScopes",
                [&](const json::value& scope, const std::string& place)
                {
                    references(scope, place, "permissions", in(_permissions), _permissions, "permissions");
                    references(scope, place, "bindable", in(_bindable), _bindable, "bindableResources");
                    forEach(listOf(scope.as_object(), "permissions"), place + ".permissions",
                            [this](const json::value& permission, const std::string& where)
                            {
                                if (const std::string name(permission.as_string()); _exempt.contains(name))
                                    fault(where, "expected a permission that keys may have, found \"" + name +
                                                     "\", which is apiKeyExempt: remove one of the two");
                            });
                });
    }

    /// Checks that translated texts belong to entries of the manifest.
    void checkTexts()
    {
        const auto* texts = _manifest.if_contains("texts");
        if (!texts) return;
        const std::map<std::string, const std::set<std::string>*> listed = {
            {"permissions", &_permissions}, {"roleBundles", &_bundles}, {"apiKeyScopes", &_scopes}, {"bindableResources", &_bindable}};
        for (const auto& [language, lists] : texts->as_object())
            for (const auto& [list, entries] : lists.as_object())
            {
                const std::string kind(list);
                for (const auto& entry : entries.as_object())
                    if (const std::string name(entry.key()); !listed.at(kind)->contains(name))
                        unlisted(name, "texts." + std::string(language) + '.' + kind, *listed.at(kind), kind);
            }
    }

    void checkInterfaces()
    {
        const auto& plugin = _manifest.at("plugin").as_object();
        for (const std::string kind : {"requires", "provides"})
        {
            std::set<std::string> names;
            forEach(listOf(plugin, kind), "plugin." + kind,
                    [&](const json::value& entry, const std::string& place)
                    {
                        const auto name = textOf(entry.as_object(), "interface");
                        once(names, name, place + ".interface");
                        if (kind == "provides" && name.starts_with("host."))
                            fault(place + ".interface", "expected a name of the plugin's own, found \"" + name +
                                                            "\": names that begin with host. are those of the host");
                    });
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
            requireOwn(name, place);
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
        const auto& words = listOf(setting, "choices");
        const auto known = [&](const json::value& word) { return words.empty() || std::ranges::find(words, word) != words.end(); };
        if (value->is_array() ? !std::ranges::all_of(value->as_array(), known) : value->is_string() && !known(*value))
            fault(place, "expected a default of the choices, found " + json::serialize(*value));
        if (!value->is_int64()) return;
        const auto* least = setting.if_contains("minimum");
        const auto* most = setting.if_contains("maximum");
        if ((least && value->as_int64() < least->as_int64()) || (most && value->as_int64() > most->as_int64()))
            fault(place, "expected a default between minimum and maximum, found " + std::to_string(value->as_int64()));
    }

    /// Collects the named member of each element and reports duplicates.
    void unique(const std::string& kind, const std::string& member, std::set<std::string>& names)
    {
        forEach(listOf(_manifest, kind), kind,
                [&](const json::value& entry, const std::string& place)
                { once(names, textOf(entry.as_object(), member), place + "." + member); });
    }

    void requireOwn(const std::string& name, const std::string& place)
    {
        if (!name.starts_with(_service + ".")) fault(place, "expected a name that begins with '" + _service + ".', found \"" + name + "\"");
    }

    void once(std::set<std::string>& names, const std::string& name, const std::string& place)
    {
        if (!names.insert(name).second) fault(place, "expected each name once, found \"" + name + "\" again: remove it");
    }

    /// Complains about names in a list of an element that those which `kind` lists do not have.
    void references(const json::value& element, const std::string& place, const std::string& list,
                    const std::function<bool(const std::string&)>& isKnown, const std::set<std::string>& known, const std::string& kind)
    {
        forEach(listOf(element.as_object(), list), place + "." + list,
                [&](const json::value& item, const std::string& where)
                {
                    if (const std::string name(item.as_string()); !isKnown(name)) unlisted(name, where, known, kind);
                });
    }

    void unlisted(const std::string& name, const std::string& place, const std::set<std::string>& known, const std::string& kind)
    {
        const auto meant = nearestName(name, std::vector<std::string>(known.begin(), known.end()));
        fault(place, "expected a name that '" + kind + "' lists, found \"" + name +
                         "\": " + (meant.empty() ? "add it there or remove it here" : "did you mean \"" + meant + "\"?"));
    }

    void fault(std::string member, std::string what) { _faults.push_back({std::move(member), std::move(what)}); }

    const json::object& _manifest;
    std::string _service;
    std::set<std::string> _permissions;
    std::set<std::string> _exempt;
    std::set<std::string> _bindable;
    std::set<std::string> _bundles;
    std::set<std::string> _scopes;
    std::vector<SchemaFault> _faults;
};
} // namespace

std::vector<SchemaFault> checkManifestRules(const json::object& manifest) { return Rules(manifest).check(); }

} // namespace portico::host::plugins
