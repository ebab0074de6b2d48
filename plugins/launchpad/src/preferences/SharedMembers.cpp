#include "preferences/SharedMembers.h"

#include "portico/Problem.h"
#include "portico/interfaces/SharedPreferences.h"

#include <map>
#include <string>

namespace portico::launchpad::shared_members
{

namespace
{

using Members = std::map<std::string, Json>;

/// The text of a JSON string; empty for other values.
std::string textOf(const Members& members, const std::string& name)
{
    const auto found = members.find(name);
    return found == members.end() || !found->second.text.starts_with('"') ? std::string() : fromStoredJson<std::string>(found->second.text);
}

[[noreturn]] void refuse()
{
    throw Problem::unavailable("preferences_unavailable", "Theme, density and locale cannot be saved at the moment. Try again later.");
}

} // namespace

void read(PluginContext& context, const Caller& caller, Preferences& preferences)
{
    const auto shared = context.services().find<interfaces::SharedPreferences>();
    if (!shared) return;
    const auto members = fromStoredJson<Members>(shared->read(caller));
    preferences.theme = parseEnum<Theme>(textOf(members, "theme")).value_or(preferences.theme);
    preferences.density = parseEnum<Density>(textOf(members, "density")).value_or(preferences.density);
    if (auto locale = textOf(members, "locale"); isLanguageTag(locale)) preferences.locale = std::move(locale);
}

void requireProvider(PluginContext& context)
{
    if (!context.services().find<interfaces::SharedPreferences>()) refuse();
}

void write(PluginContext& context, const Caller& caller, const Preferences& preferences, const Patch<Preferences>& patch)
{
    const auto shared = context.services().find<interfaces::SharedPreferences>();
    if (!shared) refuse();
    Members change;
    if (patch.has("theme")) change["theme"] = Json{toJson(preferences.theme)};
    if (patch.has("density")) change["density"] = Json{toJson(preferences.density)};
    if (patch.has("locale")) change["locale"] = Json{toJson(preferences.locale)};
    shared->merge(caller, toJson(change));
}

} // namespace portico::launchpad::shared_members
