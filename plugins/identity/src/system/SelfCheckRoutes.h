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
    /// Instruction for the operator; empty if there is nothing to do.
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

/// Sign-in of an operator without platform rights, because it does not meet the policy of the admin organization.
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
    /// Ids of services; their completeness reports have details.
    std::vector<std::string> incompleteServices;
    /// Platform roles of users outside of the admin organization, where they have no effect.
    std::vector<IneffectiveRole> ineffectivePlatformRoles;
    /// Active sign-ins of platform role holders in which the role has no effect. Informational: `ok` ignores them.
    std::vector<PowerlessSignIn> powerlessSignIns;
    std::vector<WaitingDeletion> waitingDeletions;
};

constexpr auto schemaOf(const SelfCheck*)
{
    return describe(members<&SelfCheck::ok, &SelfCheck::items, &SelfCheck::misconfigurations, &SelfCheck::incompleteServices,
                            &SelfCheck::ineffectivePlatformRoles, &SelfCheck::powerlessSignIns, &SelfCheck::waitingDeletions>());
}

/// Reports conditions that need an operator's attention. Thread-safe.
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
