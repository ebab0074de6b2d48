#pragma once

#include "catalog/ServiceAccess.h"
#include "permissions/Evaluation.h"
#include "permissions/UserOverride.h"
#include "users/User.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// What the rows say about one person in one context, for all services: read in a handful of statements, however many services there are.
class PersonAccess
{
public:
    /// @param organization empty: personal context. @param proof As of `platform_power::judge`
    PersonAccess(Session& session, User user, const std::optional<OrganizationId>& organization, const std::optional<SignInProof>& proof);

    /// An organization's own principal: what its owners may do.
    PersonAccess(Session& session, const OrganizationId& organization);

    /// Without an ID for an organization's own principal.
    const User& user() const noexcept { return _user; }
    const ActiveStanding& standing() const noexcept { return _standing; }
    const std::vector<ServiceAccess>& access() const noexcept { return _access; }
    const std::vector<UserOverride>& overrides() const noexcept { return _overrides; }
    /// Made by `access_facts::input`, as the facts of requests.
    EvaluationInput input(std::string_view serviceId) const;

private:
    void readOrganization(Session& session, const OrganizationId& organization);

    /// A bundle as the organization changed it.
    struct ChangedBundle
    {
        std::string serviceId;
        RoleBundle bundle;
    };

    User _user;
    ActiveStanding _standing;
    std::vector<ServiceAccess> _access;
    std::vector<ChangedBundle> _bundles;
    std::vector<UserOverride> _overrides;
    /// The same as the evaluation takes them.
    std::vector<PermissionOverride> _judged;
};

} // namespace portico::identity
