#pragma once

#include "common/Core.h"
#include "permissions/PersonAccess.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/TokenIssuer.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// An application as the launcher shows it.
struct SwitcherItem
{
    std::string serviceId;
    std::string name;
    std::string iconUrl;
    std::string launchUrl;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = true;
    bool householdCapable = false;
    bool accessible = false;
    /// `organization_access`, `personal_access`, `platform_bypass`, or the obstacle.
    std::string accessReason;
    std::int64_t order = 0;
};

constexpr auto schemaOf(const SwitcherItem*)
{
    return describe(field("service_id", &SwitcherItem::serviceId), field("name", &SwitcherItem::name),
                    field("iconUrl", &SwitcherItem::iconUrl), field("launchUrl", &SwitcherItem::launchUrl),
                    field("surface_kind", &SwitcherItem::surfaceKind), field("surface_group", &SwitcherItem::surfaceGroup),
                    field("launchable", &SwitcherItem::launchable), field("household_capable", &SwitcherItem::householdCapable),
                    field("accessible", &SwitcherItem::accessible), field("accessReason", &SwitcherItem::accessReason),
                    field("order", &SwitcherItem::order));
}

struct AppSwitcher
{
    ActiveContext activeContext;
    std::vector<SwitcherItem> items;
    std::optional<std::string> nextCursor;
};

constexpr auto schemaOf(const AppSwitcher*)
{
    return describe(field("activeContext", &AppSwitcher::activeContext), field("items", &AppSwitcher::items),
                    field("nextCursor", &AppSwitcher::nextCursor));
}

struct SwitcherQuery
{
    std::optional<ContextKind> context;
};

constexpr auto schemaOf(const SwitcherQuery*) { return describe(field("context", &SwitcherQuery::context)); }

/// The applications that somebody can go to from here: by the access token that is sent, else by the cookie. Thread-safe.
class AppSwitcherRoutes
{
public:
    explicit AppSwitcherRoutes(Core& core) : _core(core), _cookies(core), _families(core) {}
    void declare(Routes& routes);

    Reply<AppSwitcher> show(const Caller& caller, const Request& request, const Query<SwitcherQuery>& query);

private:
    struct Place
    {
        std::string userId;
        std::optional<OrganizationId> organizationId;
        std::optional<SignInProof> proof;
    };
    /// Who asks, and where they work. @throws Problem 401 `authentication_required`, `session_ended`
    Place placeOf(const Caller& caller, const Request& request);
    Place placeOfCookie(const Request& request);

    Core& _core;
    Cookies _cookies;
    RefreshFamilies _families;
};

} // namespace portico::identity
