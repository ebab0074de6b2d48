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

/// Access data of one person in one context, for all services. A fixed number of statements reads it, regardless of the number of services.
class PersonAccess
{
public:
    /// @param organization empty: personal context. @param proof like in `platform_power::judge`
    PersonAccess(Session& session, User user, const std::optional<OrganizationId>& organization, const std::optional<SignInProof>& proof);

    /// For an organization's principal: the rights of its owners.
    PersonAccess(Session& session, const OrganizationId& organization);

    /// Has no ID for an organization's principal.
    const User& user() const noexcept { return _user; }
    const ActiveStanding& standing() const noexcept { return _standing; }
    const std::vector<ServiceAccess>& access() const noexcept { return _access; }
    const std::vector<UserOverride>& overrides() const noexcept { return _overrides; }
    /// Returns the input for a service, built by `access_facts::input` like for requests.
    EvaluationInput input(std::string_view serviceId) const;

private:
    void readOrganization(Session& session, const OrganizationId& organization);

    /// A bundle with the organization's changes.
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
    /// The same overrides in the form for the evaluation.
    std::vector<PermissionOverride> _judged;
};

} // namespace portico::identity
