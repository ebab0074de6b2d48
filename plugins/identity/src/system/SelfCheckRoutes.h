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
    return describe(members<&SelfCheckItem::id, &SelfCheckItem::title, &SelfCheckItem::ok, &SelfCheckItem::remedy>());
}

struct Misconfiguration
{
    std::string setting;
    std::string problem;
};

constexpr auto schemaOf(const Misconfiguration*) { return describe(members<&Misconfiguration::setting, &Misconfiguration::problem>()); }

struct IneffectiveRole
{
    UserId userId;
    std::string platformRole;
};

constexpr auto schemaOf(const IneffectiveRole*) { return describe(members<&IneffectiveRole::userId, &IneffectiveRole::platformRole>()); }

/// A sign-in of an operator that gives no platform powers, because it does not meet the policy of the admin organization.
struct PowerlessSignIn
{
    UserId userId;
    SessionId sessionId;
    PowerFault reason = PowerFault::None;
};

constexpr auto schemaOf(const PowerlessSignIn*)
{
    return describe(members<&PowerlessSignIn::userId, &PowerlessSignIn::sessionId, &PowerlessSignIn::reason>());
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
    return describe(members<&SelfCheck::ok, &SelfCheck::items, &SelfCheck::misconfigurations, &SelfCheck::incompleteServices,
                            &SelfCheck::ineffectivePlatformRoles, &SelfCheck::powerlessSignIns, &SelfCheck::waitingDeletions>());
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
