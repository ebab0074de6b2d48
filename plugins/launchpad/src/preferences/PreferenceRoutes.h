#pragma once

#include "catalog/Registry.h"
#include "preferences/Preferences.h"

#include "portico/Routes.h"

#include <map>
#include <optional>
#include <string>

namespace portico::launchpad
{

enum class PreferenceContext
{
    Organization,
    Personal
};

constexpr auto schemaOf(const PreferenceContext*)
{
    return portico::choices<PreferenceContext>(
        {{"organization", PreferenceContext::Organization}, {"personal", PreferenceContext::Personal}});
}

struct PreferenceQuery
{
    std::optional<PreferenceContext> context;
};

constexpr auto schemaOf(const PreferenceQuery*)
{
    return describe(field<&PreferenceQuery::context>().description("Default: the active context"));
}

/// The place of an app on a dashboard.
struct DashboardPlace
{
    bool pinned = false;
    bool hidden = false;
    std::string folderId;
    /// From 1; 0: no position was chosen.
    std::int64_t order = 0;
};

/// /api/preferences: the dashboard of a person, one for each context. Thread-safe.
class PreferenceRoutes
{
public:
    PreferenceRoutes(PluginContext& context, const Registry& registry) : _context(context), _registry(registry) {}
    void declare(Routes& routes);

    Preferences show(const Caller& caller, const Query<PreferenceQuery>& query) const;
    Preferences change(const Caller& caller, const Query<PreferenceQuery>& query, const Body<Patch<Preferences>>& patch,
                       const IfMatch& ifMatch) const;
    Preferences reset(const Caller& caller, const Body<PreferenceQuery>& body, const IfMatch& ifMatch) const;

    /// Places of apps on a caller's dashboard, by service: the person's choice, else the organization's.
    static std::map<std::string, DashboardPlace> placesOf(Session& session, const Caller& caller);

private:
    /// Owner of a document.
    struct Place
    {
        std::string tenant;
        std::string userId;
        Tenant owner() const { return Tenant::fromStored(tenant); }
    };
    static Place placeOf(const Caller& caller, const std::optional<PreferenceContext>& wanted);
    /// @param written what the request has just written: another writer may have changed the row since
    Preferences shown(const Caller& caller, const Place& place, std::optional<Preferences> written = {}) const;

    PluginContext& _context;
    const Registry& _registry;
};

} // namespace portico::launchpad
