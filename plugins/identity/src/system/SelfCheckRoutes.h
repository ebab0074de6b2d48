#pragma once

#include "common/Core.h"
#include "permissions/PlatformPower.h"
#include "privacy/Deletions.h"

#include "portico/Routes.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// One thing that this installation does or does not do, by the number of the OWASP Application Security Verification Standard 5.0.
struct SelfCheckItem
{
    std::string id;
    std::string title;
    bool ok = true;
    /// What to do about it; empty where nothing is to be done.
    std::string remedy;
};

constexpr auto schemaOf(const SelfCheckItem*)
{
    return describe(field("id", &SelfCheckItem::id), field("title", &SelfCheckItem::title), field("ok", &SelfCheckItem::ok),
                    field("remedy", &SelfCheckItem::remedy));
}

struct Misconfiguration
{
    std::string setting;
    std::string problem;
};

constexpr auto schemaOf(const Misconfiguration*)
{
    return describe(field("setting", &Misconfiguration::setting), field("problem", &Misconfiguration::problem));
}

struct IneffectiveRole
{
    UserId userId;
    std::string platformRole;
};

constexpr auto schemaOf(const IneffectiveRole*)
{
    return describe(field("userId", &IneffectiveRole::userId), field("platformRole", &IneffectiveRole::platformRole));
}

/// A sign-in of an operator that gives no platform powers, because it does not meet the policy of the admin organization.
struct PowerlessSignIn
{
    UserId userId;
    SessionId sessionId;
    PowerFault reason = PowerFault::None;
};

constexpr auto schemaOf(const PowerlessSignIn*)
{
    return describe(field("userId", &PowerlessSignIn::userId), field("sessionId", &PowerlessSignIn::sessionId),
                    field("reason", &PowerlessSignIn::reason));
}

struct SelfCheck
{
    bool ok = true;
    std::vector<SelfCheckItem> items;
    std::vector<Misconfiguration> misconfigurations;
    /// Ids; what each lacks says its completeness report.
    std::vector<std::string> incompleteServices;
    /// Of people outside of the admin organization, where such a role does nothing.
    std::vector<IneffectiveRole> ineffectivePlatformRoles;
    /// Live sign-ins of people with a platform role that has effect otherwise; for information, `ok` does not depend on them.
    std::vector<PowerlessSignIn> powerlessSignIns;
    std::vector<WaitingDeletion> waitingDeletions;
};

constexpr auto schemaOf(const SelfCheck*)
{
    return describe(field("ok", &SelfCheck::ok), field("items", &SelfCheck::items),
                    field("misconfigurations", &SelfCheck::misconfigurations), field("incompleteServices", &SelfCheck::incompleteServices),
                    field("ineffectivePlatformRoles", &SelfCheck::ineffectivePlatformRoles),
                    field("powerlessSignIns", &SelfCheck::powerlessSignIns), field("waitingDeletions", &SelfCheck::waitingDeletions));
}

/// What an operator should look at. Thread-safe.
class SelfCheckRoutes
{
public:
    explicit SelfCheckRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);
    SelfCheck check(const Caller& caller) const;

private:
    void addItems(Session& snapshot, SelfCheck& result) const;
    void addSignIns(Session& snapshot, SelfCheck& result) const;
    void addMisconfigurations(SelfCheck& result) const;

    Core& _core;
};

} // namespace portico::identity
