#pragma once

#include "catalog/AppCatalog.h"
#include "installs/Availability.h"

#include "portico/Plugin.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Rules of an organization about installs.
struct InstallRules
{
    bool allowRequests = true;
    bool allowPersonalInstalls = false;
};

/// Place of an app on a person's dashboard.
struct AppPlace
{
    bool pinned = false;
    bool hidden = false;
    std::string folderId;
    /// From 1; 0: no position was chosen.
    std::int64_t order = 0;
};

/// A person's launches of an app.
struct AppUse
{
    Instant lastLaunchedAt{};
    std::int64_t launches30d = 0;
};

/// The plan of an owner.
struct OwnedPlan
{
    EntitledBy by;
    /// Apps of the package; empty: all that packages contain.
    std::set<std::string> apps;
};

/// Queries that other rooms answer. An empty function yields no result.
struct CatalogQuestions
{
    std::function<InstallRules(Session&, Tenant)> rules = {};
    /// By service.
    std::function<std::map<std::string, AppPlace>(Session&, const Caller&)> places = {};
    /// By service.
    std::function<std::map<std::string, AppUse>(Session&, const Caller&)> uses = {};
    /// Plan of the active organization, or of the person.
    std::function<std::optional<OwnedPlan>(Session&, const Caller&)> plan = {};
};

/// The state of all apps for one caller at one moment: rules, installs, requests and rights. Made for one request.
class Standing
{
public:
    /// @param session a snapshot, or the transaction of a change
    /// @param only the service that the caller of this constructor asks about; empty: all
    Standing(PluginContext& context, Session& session, const Caller& caller, const CatalogQuestions& questions, std::string_view only = {});

    Circumstances of(const App& app) const;
    const EffectiveRule* rule(const std::string& serviceId) const;
    /// The install that `installedBy` says; null for an assignment or a default.
    const Install* install(const std::string& serviceId, InstalledBy by) const;
    /// Returns whether the caller's context has the app at all.
    bool inContext(const App& app) const;
    /// False for a blocked app, unless the caller may see the rules.
    bool sees(const App& app) const;
    const InstallRules& rules() const noexcept { return _rules; }
    /// The person; empty for a key of an organization.
    const std::string& userId() const noexcept { return _userId; }
    bool personal() const noexcept { return _personal; }
    bool mayInstallForOrganization() const noexcept { return _mayInstall; }
    bool mayInstallForSelf() const noexcept { return _personal || _mayInstall || (_rules.allowPersonalInstalls && _mayRequest); }
    bool mayRequest() const noexcept { return _mayRequest; }

private:
    std::string _userId;
    bool _personal = false, _mayInstall = false, _mayRequest = false, _seesRules = false, _allByDefault = false;
    InstallRules _rules;
    std::map<std::string, EffectiveRule> _effective;
    std::map<std::string, Install> _ofOrganization, _ofUser;
    std::set<std::string> _requested, _defaults;
    /// Sorted.
    std::vector<std::string> _entitled;
};

} // namespace portico::launchpad
