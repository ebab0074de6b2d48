#include "workspace/WorkspaceRoutes.h"

#include "installs/Availability.h"

#include "portico/Problem.h"
#include "portico/interfaces/Directory.h"
#include "portico/interfaces/SignIns.h"

#include <algorithm>
#include <utility>

namespace portico::launchpad
{

namespace
{

constexpr std::int64_t maxCountedActions = 1000;

template <class Interface>
auto require(PluginContext& context)
{
    auto found = context.services().find<Interface>();
    if (!found) throw Problem::unavailable("identity_unavailable", "Accounts cannot be read at the moment. Try again later.");
    return found;
}

bool isPerson(const Caller& caller) { return UserId::parse(caller.principalId).has_value(); }

/// The same caller in another context, as far as figures depend on it.
Caller inContext(const Caller& caller, const std::optional<OrganizationId>& organization, const std::string& role)
{
    Caller other = caller;
    other.organizationId = organization ? std::string(organization->text()) : std::string();
    other.role = role;
    other.permissions.clear();
    return other;
}

} // namespace

void WorkspaceRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("workspace:read", "dashboard.read");
    routes.get("/api/workspace/context", read, &WorkspaceRoutes::show, this, {.summary = "Read the active context"})
        .put("/api/workspace/context", access::bearer(), &WorkspaceRoutes::change, this,
             {.summary = "Switch the active context",
              .problems = {"400 household_is_not_a_context", "403 membership_required", "403 org_policy_mfa_required",
                           "403 org_policy_session_too_old", "403 org_policy_ip_not_allowed", "503 identity_unavailable"}})
        .get("/api/workspace/memberships", read, &WorkspaceRoutes::memberships, this,
             {.summary = "List the caller's organizations and households", .problems = {"503 identity_unavailable"}})
        .get("/api/household-selection", access::bearer(), &WorkspaceRoutes::selection, this,
             {.summary = "Read the active household", .problems = {"503 identity_unavailable"}})
        .put("/api/household-selection", access::bearer(), &WorkspaceRoutes::select, this,
             {.summary = "Switch the active household",
              .problems = {"403 household_membership_required", "409 not_in_personal_context", "503 identity_unavailable"}});
    // Identity stores households and keys. A person needs no permission for their own keys; identity checks those of an organization.
    routes.forward("/api/households", access::bearer("households:manage"))
        .forward("/api/household-invitations", access::bearer("households:manage"))
        .forward("/api/api-keys", Access{.bearer = true, .apiKey = true, .scope = "api_keys.write"},
                 {.defaultQuery = "for_service=launchpad"});
}

ActiveContext WorkspaceRoutes::show(const Caller& caller) const { return contextOf(_context, caller); }

ChangedContext WorkspaceRoutes::change(const Caller& caller, const Request& request, const Body<ContextWish>& wanted) const
{
    if (wanted->kind == "household")
        throw Problem::badRequest("household_is_not_a_context", "Select a household with PUT /api/household-selection.");
    if (wanted->kind != "organization" && wanted->kind != "personal")
        throw Problem::invalid("kind", "invalid_choice", "Use organization or personal.");
    const bool toOrganization = wanted->kind == "organization";
    if (toOrganization != wanted->organizationId.has_value())
        throw Problem::invalid("organizationId", toOrganization ? "required" : "not_allowed",
                               toOrganization ? "Required for kind organization" : "Allowed only for kind organization");
    const auto signIns = require<interfaces::SignIns>(_context);
    auto changed =
        signIns->changeContext(caller, toOrganization ? wanted->organizationId->text() : std::string_view(), request.clientAddress);
    auto there = inContext(caller, OrganizationId::parse(changed.organizationId), changed.role);
    there.organizationName = changed.organizationName;
    there.householdId.clear();
    if (changed.organizationId.empty())
        if (const auto directory = _context.services().find<interfaces::Directory>())
            for (const auto& household : directory->householdsOf(caller.principalId))
                if (household.selected) there.householdId = household.id;
    ChangedContext answer;
    static_cast<ActiveContext&>(answer) = contextOf(_context, there);
    answer.accessToken = std::move(changed.accessToken);
    answer.tokenType = std::move(changed.tokenType);
    answer.expiresIn = changed.expiresInSeconds;
    return answer;
}

WorkspaceRoutes::Figures WorkspaceRoutes::figuresOf(const Caller& caller) const
{
    const auto apps = _registry.apps();
    auto session = _context.database().snapshot();
    const Standing standing(_context, session, caller, _questions);
    Figures figures;
    for (const auto& app : apps->all())
        if (app.listed && standing.inContext(app) && installedBy(standing.of(app)) != InstalledBy::Nobody) ++figures.installedApps;
    for (const auto& action : actionTable.select(caller.tenantOrSelf())
                                  .where(&Action::status, ActionStatus::Open)
                                  .orderBy(descending(&Action::id))
                                  .all(session, maxCountedActions))
        figures.openActions += ActionQueue::isAssignedTo(action, caller) ? 1 : 0;
    return figures;
}

Memberships WorkspaceRoutes::memberships(const Caller& caller) const
{
    const auto directory = require<interfaces::Directory>(_context);
    Memberships all;
    // A key acts in its own context only.
    const bool isKey = caller.credential == CredentialKind::ApiKey;
    for (const auto& organization : directory->organizationsOf(caller.principalId))
    {
        if (isKey && organization.id != caller.organizationId) continue;
        const auto figures = figuresOf(inContext(caller, OrganizationId::parse(organization.id), organization.role));
        all.organizations.push_back({organization.id, organization.name,
                                     organization.logoUrl.empty() ? std::nullopt : std::optional(organization.logoUrl), organization.role,
                                     organization.memberCount, std::nullopt, figures.openActions, figures.installedApps});
    }
    if (!isPerson(caller) || (isKey && !caller.organizationId.empty())) return all;
    for (const auto& household : directory->householdsOf(caller.principalId))
        all.households.push_back({household.id, household.name, household.role, household.memberCount});
    const auto figures = figuresOf(inContext(caller, {}, "member"));
    all.personal = PersonalSummary{figures.installedApps, figures.openActions};
    return all;
}

HouseholdSelection WorkspaceRoutes::selection(const Caller& caller) const
{
    const auto directory = require<interfaces::Directory>(_context);
    HouseholdSelection answer;
    for (const auto& household : directory->householdsOf(caller.principalId))
    {
        if (!household.selected) continue;
        answer.selectedHouseholdId = household.id;
        answer.selectedHousehold = OwnHousehold{household.id, household.name, household.role};
    }
    for (const auto& app : _registry.apps()->all())
        if (app.active && app.shown.householdCapable) answer.householdCapableServices.push_back(app.shown.serviceId);
    return answer;
}

HouseholdSelection WorkspaceRoutes::select(const Caller& caller, const Body<HouseholdWish>& wanted) const
{
    require<interfaces::SignIns>(_context)->selectHousehold(caller, wanted->selectedHouseholdId.value_or(std::string()));
    return selection(caller);
}

} // namespace portico::launchpad
