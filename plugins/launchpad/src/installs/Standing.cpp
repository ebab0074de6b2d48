#include "installs/Standing.h"

#include "portico/interfaces/ServiceCatalog.h"

#include <algorithm>

namespace portico::launchpad
{

namespace
{
/// Restricts a selection to the rows of one service; empty: of all.
template <class T>
Select<T>& selectOf(Select<T>&& all, std::string T::*service, std::string_view only)
{
    if (!only.empty()) all.where(service, std::string(only));
    return all;
}
} // namespace

Standing::Standing(PluginContext& context, Session& session, const Caller& caller, const CatalogQuestions& questions, std::string_view only)
    : _personal(caller.organizationId.empty()),
      _mayInstall(!_personal && caller.may("launchpad.apps:install")),
      _mayRequest(!_personal && caller.may("launchpad.apps:request")),
      _seesRules(!_personal && caller.may("launchpad.assignments:read"))
{
    const auto tenant = caller.tenantOrSelf();
    if (UserId::parse(caller.principalId)) _userId = caller.principalId;
    if (!_personal && questions.rules) _rules = questions.rules(session, tenant);
    for (auto& service : context.config().list("launchpad.defaultInstalls"))
        if (service == "*")
            _allByDefault = true;
        else
            _defaults.insert(std::move(service));
    if (const auto registry = context.services().find<interfaces::ServiceCatalog>())
        for (auto& each : registry->accessOf(caller))
            if (each.accessible) _entitled.push_back(std::move(each.serviceId));
    std::ranges::sort(_entitled);
    const auto installs =
        selectOf(installTable.select(tenant), &Install::serviceId, only).where("user_id IN ('', ?)", _userId).all(session);
    for (const auto& install : installs)
    {
        auto& place = install.userId.empty() ? _ofOrganization : _ofUser;
        place.emplace(install.serviceId, install);
    }
    if (_personal) return;
    std::map<std::string, std::vector<Assignment>> rules;
    for (auto& rule : selectOf(assignmentTable.select(tenant), &Assignment::serviceId, only).all(session))
        rules[rule.serviceId].push_back(rule);
    for (const auto& [service, all] : rules)
        if (auto rule = strongest(all, _userId, _userId.empty() ? std::string_view() : caller.role))
            _effective.emplace(service, *std::move(rule));
    for (const auto& request : selectOf(installRequestTable.select(tenant), &InstallRequest::serviceId, only)
                                   .where(&InstallRequest::userId, _userId)
                                   .where(&InstallRequest::status, RequestStatus::Pending)
                                   .all(session))
        _requested.insert(request.serviceId);
}

const EffectiveRule* Standing::rule(const std::string& serviceId) const
{
    const auto found = _effective.find(serviceId);
    return found == _effective.end() ? nullptr : &found->second;
}

const Install* Standing::install(const std::string& serviceId, InstalledBy by) const
{
    if (by != InstalledBy::Organization && by != InstalledBy::User) return nullptr;
    const auto& place = by == InstalledBy::Organization ? _ofOrganization : _ofUser;
    const auto found = place.find(serviceId);
    return found == place.end() ? nullptr : &found->second;
}

Circumstances Standing::of(const App& app) const
{
    const auto& id = app.shown.serviceId;
    const auto stateIn = [&](const std::map<std::string, Install>& place) -> std::optional<InstallState>
    {
        const auto found = place.find(id);
        return found == place.end() ? std::nullopt : std::optional(found->second.state);
    };
    Circumstances answer;
    if (const auto* effective = rule(id)) answer.mode = effective->mode;
    answer.ofOrganization = stateIn(_ofOrganization);
    answer.ofUser = stateIn(_ofUser);
    answer.entitled = std::ranges::binary_search(_entitled, id);
    answer.byDefault = !app.remote && app.active && answer.entitled && (_allByDefault || _defaults.contains(id));
    answer.comingSoon = app.comingSoon;
    answer.requested = _requested.contains(id);
    // People who removed a default app for themselves may take it back.
    answer.mayInstall = mayInstallForSelf() || (_mayRequest && answer.byDefault && !answer.ofOrganization);
    return answer;
}

bool Standing::inContext(const App& app) const
{
    return _personal ? app.serves("personal") && app.shown.surfaceGroup != "business" : app.serves("organization");
}

bool Standing::sees(const App& app) const
{
    const auto* effective = rule(app.shown.serviceId);
    return _seesRules || !effective || effective->mode != AssignmentMode::Blocked;
}

} // namespace portico::launchpad
