#pragma once

#include "actions/ActionQueue.h"
#include "catalog/Registry.h"
#include "installs/Standing.h"
#include "workspace/ActiveContext.h"

#include "portico/Routes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct ContextWish
{
    std::string kind;
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const ContextWish*)
{
    return describe(field<&ContextWish::kind>().required().maxLength(20).description("organization or personal"),
                    field<&ContextWish::organizationId>());
}

/// The new context with a token for it.
struct ChangedContext : ActiveContext
{
    std::string accessToken;
    std::string tokenType;
    std::int64_t expiresIn = 0;
};

constexpr auto schemaOf(const ChangedContext*)
{
    return describe(inherited<ActiveContext>(), field<&ChangedContext::accessToken>("access_token"),
                    field<&ChangedContext::tokenType>("token_type"), field<&ChangedContext::expiresIn>("expires_in"));
}

/// An organization of the caller.
struct OrganizationSummary
{
    std::string id;
    std::string name;
    std::optional<std::string> logoUrl;
    std::string role;
    std::int64_t memberCount = 0;
    std::optional<std::string> plan;
    std::int64_t openActions = 0;
    std::int64_t installedApps = 0;
};

constexpr auto schemaOf(const OrganizationSummary*)
{
    return describe(members<&OrganizationSummary::id, &OrganizationSummary::name, &OrganizationSummary::logoUrl, &OrganizationSummary::role,
                            &OrganizationSummary::memberCount, &OrganizationSummary::plan>(),
                    field<&OrganizationSummary::openActions>().description(
                        "Number of open actions of the caller or of a role of the caller, at most 1,000"),
                    field<&OrganizationSummary::installedApps>());
}

struct HouseholdSummary
{
    std::string id;
    std::string name;
    std::string myRole;
    std::int64_t memberCount = 0;
};

constexpr auto schemaOf(const HouseholdSummary*)
{
    return describe(members<&HouseholdSummary::id, &HouseholdSummary::name, &HouseholdSummary::myRole, &HouseholdSummary::memberCount>());
}

struct PersonalSummary
{
    std::int64_t installedApps = 0;
    std::int64_t openActions = 0;
};

constexpr auto schemaOf(const PersonalSummary*)
{
    return describe(members<&PersonalSummary::installedApps, &PersonalSummary::openActions>());
}

struct Memberships
{
    std::vector<OrganizationSummary> organizations;
    std::vector<HouseholdSummary> households;
    /// Empty for the key of an organization.
    std::optional<PersonalSummary> personal;
};

constexpr auto schemaOf(const Memberships*)
{
    return describe(members<&Memberships::organizations, &Memberships::households, &Memberships::personal>());
}

struct HouseholdWish
{
    std::optional<std::string> selectedHouseholdId;
};

constexpr auto schemaOf(const HouseholdWish*) { return describe(field<&HouseholdWish::selectedHouseholdId>().maxLength(60)); }

/// The household that the caller works with in personal context.
struct HouseholdSelection
{
    std::optional<std::string> selectedHouseholdId;
    std::optional<OwnHousehold> selectedHousehold;
    std::vector<std::string> householdCapableServices;
};

constexpr auto schemaOf(const HouseholdSelection*)
{
    return describe(members<&HouseholdSelection::selectedHouseholdId, &HouseholdSelection::selectedHousehold>(),
                    field<&HouseholdSelection::householdCapableServices>("household_capable_services")
                        .description("Services that can see the household"));
}

/// Contexts, memberships and the selected household: stored by identity, shown with figures of this service. Thread-safe.
class WorkspaceRoutes
{
public:
    /// @param questions as of the catalog
    WorkspaceRoutes(PluginContext& context, const Registry& registry, CatalogQuestions questions)
        : _context(context), _registry(registry), _questions(std::move(questions))
    {
    }
    void declare(Routes& routes);

    ActiveContext show(const Caller& caller) const;
    ChangedContext change(const Caller& caller, const Request& request, const Body<ContextWish>& wanted) const;
    Memberships memberships(const Caller& caller) const;
    HouseholdSelection selection(const Caller& caller) const;
    HouseholdSelection select(const Caller& caller, const Body<HouseholdWish>& wanted) const;

private:
    struct Figures
    {
        std::int64_t openActions = 0;
        std::int64_t installedApps = 0;
    };
    /// Figures of a caller in their context.
    Figures figuresOf(const Caller& caller) const;

    PluginContext& _context;
    const Registry& _registry;
    const CatalogQuestions _questions;
};

} // namespace portico::launchpad
