#pragma once

#include "records/SecurityPolicy.h"

#include "common/Ids.h"
#include "portico/Database.h"

#include <optional>

namespace portico::identity::ways_in
{

/// Returns true if the user can sign in to the organization by a method that the policy allows: their password or passkey, or a linked
/// provider.
bool any(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const UserId& user);

/// Returns true if the user has a second factor, or can sign in by an allowed provider whose `acrMap` has a level `aal2`.
bool hasSecondFactor(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const UserId& user);

/// Checks that a policy leaves at least one owner, and the actor if they work in the organization, a method to sign in and a second factor.
/// @param actor empty: works in another organization
/// @throws Problem 400 `validation_failed` with `excludes_you`, `excludes_owners`
void require(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const std::optional<UserId>& actor);

} // namespace portico::identity::ways_in
