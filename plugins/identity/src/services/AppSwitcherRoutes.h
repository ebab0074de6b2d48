#pragma once

#include "common/Core.h"
#include "services/SwitcherItems.h"
#include "signin/TokenIssuer.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

struct AppSwitcher
{
    ActiveContext activeContext;
    std::vector<SwitcherItem> items;
    std::optional<std::string> nextCursor;
};

constexpr auto schemaOf(const AppSwitcher*)
{
    return describe(members<&AppSwitcher::activeContext, &AppSwitcher::items, &AppSwitcher::nextCursor>());
}

struct SwitcherQuery
{
    std::optional<ContextKind> context;
};

constexpr auto schemaOf(const SwitcherQuery*) { return describe(field<&SwitcherQuery::context>()); }

/// Lists the applications that the user can open: authenticated by the access token, else by the cookie. Thread-safe.
class AppSwitcherRoutes
{
public:
    explicit AppSwitcherRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Reply<AppSwitcher> show(const Caller& caller, const Request& request, const Query<SwitcherQuery>& query);

private:
    struct Place
    {
        std::string userId;
        std::optional<OrganizationId> organizationId;
        std::optional<SignInProof> proof;
    };
    /// Returns user and context of the request. @throws Problem 401 `authentication_required`, `session_ended`
    Place placeOf(const Caller& caller, const Request& request);
    Place placeOfCookie(const Request& request);

    Core& _core;
};

} // namespace portico::identity
