#pragma once

#include "common/Core.h"
#include "records/Organization.h"
#include "signin/TokenIssuer.h"

#include "portico/Clock.h"
#include "portico/Routes.h"

#include <map>

namespace portico::identity
{

struct RecoveryEmailState
{
    std::string status = "missing";
};

constexpr auto schemaOf(const RecoveryEmailState*) { return describe(field<&RecoveryEmailState::status>()); }

struct ServiceOnboarding
{
    std::string status;
    std::optional<std::string> step;
    std::optional<Instant> completedAt;
};

constexpr auto schemaOf(const ServiceOnboarding*)
{
    return describe(members<&ServiceOnboarding::status, &ServiceOnboarding::step, &ServiceOnboarding::completedAt>());
}

struct Onboarding
{
    RecoveryEmailState recoveryEmail;
    std::map<std::string, ServiceOnboarding> services;
};

constexpr auto schemaOf(const Onboarding*) { return describe(members<&Onboarding::recoveryEmail, &Onboarding::services>()); }

/// Data about the signed-in user for an app.
struct Me
{
    User user;
    SignIn session;
    /// The operator who acts as the user; without one there is no such member.
    std::optional<ActingParty> act;
    ActiveContext activeContext;
    std::vector<MyOrganization> organizations;
    std::vector<MyHousehold> households;
    std::optional<std::string> selectedHouseholdId;
    Json selectedHousehold;
    Onboarding onboarding;
    /// In the service that the token is for.
    std::vector<std::string> effectivePermissions;
    std::string serviceId;
    std::int64_t revision = 0;
};

constexpr auto schemaOf(const Me*)
{
    return describe(members<&Me::user, &Me::session>(), field<&Me::act>().omitEmpty(),
                    members<&Me::activeContext, &Me::organizations, &Me::households, &Me::selectedHouseholdId, &Me::selectedHousehold,
                            &Me::onboarding, &Me::effectivePermissions>(),
                    field<&Me::serviceId>("service_id"), field<&Me::revision>());
}

/// The caller's own account.
class MeRoutes
{
public:
    explicit MeRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Me show(const Caller& caller) const;
    User update(const Caller& caller, const Request& request, const Body<Patch<User>>& patch, const IfMatch& match);

private:
    Core& _core;
};

} // namespace portico::identity
