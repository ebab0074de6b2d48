#pragma once

#include "common/Changes.h"
#include "organizations/Organization.h"
#include "sessions/TokenResponse.h"

#include "portico/Clock.h"
#include "portico/Routes.h"

#include <map>

namespace portico::identity
{

struct MyHousehold
{
    std::string id;
    std::string name;
    std::string myRole;
};

struct RecoveryEmailState
{
    std::string status = "missing";
};

struct ServiceOnboarding
{
    std::string status;
    std::optional<std::string> step;
    std::optional<Instant> completedAt;
};

struct Onboarding
{
    RecoveryEmailState recoveryEmail;
    std::map<std::string, ServiceOnboarding> services;
};

/// All that an app shows about the one who is signed in.
struct Me
{
    User user;
    SignIn session;
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

/// The caller's own account.
class MeRoutes
{
public:
    MeRoutes(Database& database, Changes& changes, const Clock& clock) : _database(database), _changes(changes), _clock(clock) {}
    void declare(Routes& routes);

    Me show(const Caller& caller) const;
    User update(const Caller& caller, const Body<Patch<User>>& patch, const IfMatch& match);

private:
    Database& _database;
    Changes& _changes;
    const Clock& _clock;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::MyHousehold>
{
    using T = portico::identity::MyHousehold;
    static constexpr auto fields = describe(field("id", &T::id), field("name", &T::name), field("myRole", &T::myRole));
};

template <>
struct portico::Schema<portico::identity::RecoveryEmailState>
{
    using T = portico::identity::RecoveryEmailState;
    static constexpr auto fields = describe(field("status", &T::status));
};

template <>
struct portico::Schema<portico::identity::ServiceOnboarding>
{
    using T = portico::identity::ServiceOnboarding;
    static constexpr auto fields = describe(field("status", &T::status), field("step", &T::step), field("completedAt", &T::completedAt));
};

template <>
struct portico::Schema<portico::identity::Onboarding>
{
    using T = portico::identity::Onboarding;
    static constexpr auto fields = describe(field("recoveryEmail", &T::recoveryEmail), field("services", &T::services));
};

template <>
struct portico::Schema<portico::identity::Me>
{
    using T = portico::identity::Me;
    static constexpr auto fields =
        describe(field("user", &T::user), field("session", &T::session), field("activeContext", &T::activeContext),
                 field("organizations", &T::organizations), field("households", &T::households),
                 field("selectedHouseholdId", &T::selectedHouseholdId), field("selectedHousehold", &T::selectedHousehold),
                 field("onboarding", &T::onboarding), field("effectivePermissions", &T::effectivePermissions),
                 field("service_id", &T::serviceId), field("revision", &T::revision));
};
