#pragma once

#include "permissions/Evaluator.h"

#include "portico/Caller.h"
#include "portico/Database.h"

#include <optional>
#include <string_view>

namespace portico::identity
{

/// Rows marked "step-up": the sign-in has proved again who it is, not long ago. @throws Problem 403 `step_up_required`
void requireElevation(Session& session, const Caller& caller, Instant now);

/// User who acts on organizations and on other users: checks organization, membership and ranks. Routes check permissions. Created for one
/// request, in the transaction of the change. Reads the actor's rows there, so that of two admins who remove each other's role only one
/// succeeds.
class Actor
{
public:
    /// @param caller signed in with an access token
    /// @throws Problem 401 `invalid_token` if the account was deleted or the sign-in has ended, 403 `permission_denied` if the actor has
    /// left the active organization
    Actor(Session& session, const Caller& caller, Instant now);

    const UserId& userId() const noexcept { return _standing.userId; }
    bool isOperator() const noexcept { return _standing.platformBypass; }
    bool isSelf(const UserId& user) const noexcept { return user == _standing.userId; }
    /// The active one; empty in personal context.
    const std::optional<OrganizationId>& organizationId() const noexcept { return _standing.organizationId; }
    Role role() const noexcept { return _standing.role; }
    /// Returns the proofs of the actor's sign-in; empty for an API key.
    const std::optional<SignInProof>& proof() const noexcept { return _proof; }
    /// Returns the rank of the platform role if it has effect, else that of the role in the active organization; 0 in personal context.
    int rank() const noexcept;

    /// For routes of operators. @throws Problem 403 `permission_denied`
    void requireOperator() const;
    /// The organization of a path is the active one; an operator's may be any. @throws Problem 404
    void requireOrganization(const OrganizationId& id) const;
    /// The four families of admin routes: operators, and by their role alone admins, super admins and owners of the active organization;
    /// others with `permission` where the row names one.
    /// @throws Problem 403 `permission_denied`
    void requireAdminRoute(std::string_view permission = {}) const;
    /// Returns the rank of a user in an organization, or of their platform role if they belong to the admin organization. A suspended
    /// member of it counts, because reactivation would restore the operator's rights.
    /// @throws Problem 404 for a user who is not a member. Operators may act on any account: there the rank is 0.
    int rankOf(const UserId& user, const std::optional<OrganizationId>& organization) const;

    /// Allows changes of lower ranks only. Owners may change owners with a recent step-up.
    /// @throws Problem 403 `outranked`, `step_up_required`
    void requireMayChange(int subjectRank) const;
    /// Must be called by every route that grants a role in an organization, now or later. A membership in the admin organization activates
    /// platform roles, so it requires a recent step-up.
    /// @throws Problem 403 `role_above_own`, `step_up_required`
    void requireMayGrant(const OrganizationId& organization, Role granted) const;
    /// Checks that an unused grant, such as an invitation, is withdrawn by an actor who could make it. @throws Problem 403 `role_above_own`
    void requireMayWithdraw(Role granted) const;
    /// Does the same as `requireMayGrant` for a platform role. @throws Problem 403 `platform_role_requires_super_admin`, `step_up_required`
    void requireMayGrant(PlatformRole granted) const;
    /// Allows changes of platform roles to platform super admins only. @throws Problem 403 `platform_role_requires_super_admin`
    void requirePlatformSuperAdmin() const;
    /// @throws Problem 403 `step_up_required`
    void requireElevation() const { identity::requireElevation(_session, _caller, _now); }

private:
    Session& _session;
    const Caller& _caller;
    Instant _now;
    std::optional<SignInProof> _proof;
    ActiveStanding _standing;
};

} // namespace portico::identity
