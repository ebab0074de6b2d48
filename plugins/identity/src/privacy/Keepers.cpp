#include "privacy/Keepers.h"

#include "portico/Json.h"

#include <algorithm>
#include <set>

namespace portico::identity::keepers
{

namespace
{

struct ProvidedInterface
{
    std::string interface;
};
constexpr auto schemaOf(const ProvidedInterface*) { return describe(field<&ProvidedInterface::interface>()); }

struct PluginPart
{
    std::vector<ProvidedInterface> provides;
};
constexpr auto schemaOf(const PluginPart*) { return describe(field<&PluginPart::provides>()); }

/// Part of a manifest that lists the interfaces of its plugin.
struct Providing
{
    PluginPart plugin;
};
constexpr auto schemaOf(const Providing*) { return describe(field<&Providing::plugin>()); }

} // namespace

std::string whyWaiting(const std::vector<std::string>& away)
{
    std::string names;
    for (const auto& id : away) names += (names.empty() ? "" : ", ") + id;
    return "waits for services that keep data of people and do not answer (" + names +
           "): enable them, or retire them in the registry when they are gone for good";
}

std::vector<std::string> all(Services& services, Session& session)
{
    std::set<std::string> ids;
    for (const auto& provider : services.all<interfaces::PersonalData>()) ids.insert(provider.serviceId());
    for (Row row : session.query("SELECT service_id, manifest FROM services WHERE status <> 'retired'"))
    {
        const auto manifest = fromStoredJson<Providing>(row.text(1));
        if (std::ranges::find(manifest.plugin.provides, interfaces::PersonalData::interfaceName, &ProvidedInterface::interface) !=
            manifest.plugin.provides.end())
            ids.emplace(row.text(0));
    }
    return {ids.begin(), ids.end()};
}

Leased<interfaces::PersonalData> find(Services& services, const std::string& serviceId)
{
    return Provider<interfaces::PersonalData>(services, serviceId).find();
}

interfaces::Person person(Session& session, std::string_view userId, std::string email)
{
    return {std::string(userId), std::move(email),
            session.values<std::string>("SELECT organization_id FROM memberships WHERE user_id = $1 ORDER BY organization_id", userId)};
}

} // namespace portico::identity::keepers
