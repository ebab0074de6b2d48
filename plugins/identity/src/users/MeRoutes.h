#pragma once

#include "common/Core.h"
#include "organizations/Organization.h"
#include "sessions/TokenIssuer.h"

#include "portico/Clock.h"
#include "portico/Routes.h"

#include <map>

namespace portico::identity
{

struct RecoveryEmailState
{
    std::string status = "missing";
};

constexpr auto schemaOf(const RecoveryEmailState*) { return describe(field("status", &RecoveryEmailState::status)); }

struct ServiceOnboarding
{
    std::string status;
    std::optional<std::string> step;
    std::optional<Instant> completedAt;
};

constexpr auto schemaOf(const ServiceOnboarding*)
{
    return describe(field("status", &ServiceOnboarding::status), field("step", &ServiceOnboarding::step),
                    field("completedAt", &ServiceOnboarding::completedAt));
}

struct Onboarding
{
    RecoveryEmailState recoveryEmail;
    std::map<std::string, ServiceOnboarding> services;
};

constexpr auto schemaOf(const Onboarding*)
{
    return describe(field("recoveryEmail", &Onboarding::recoveryEmail), field("services", &Onboarding::services));
}

/// All that an app shows about the one who is signed in.
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
    return describe(field("user", &Me::user), field("session", &Me::session), field("act", &Me::act).omitEmpty(),
                    field("activeContext", &Me::activeContext), field("organizations", &Me::organizations),
                    field("households", &Me::households), field("selectedHouseholdId", &Me::selectedHouseholdId),
                    field("selectedHousehold", &Me::selectedHousehold), field("onboarding", &Me::onboarding),
                    field("effectivePermissions", &Me::effectivePermissions), field("service_id", &Me::serviceId),
                    field("revision", &Me::revision));
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
