#pragma once

#include "records/SecurityPolicy.h"

#include "common/Ids.h"
#include "portico/Database.h"

#include <optional>

namespace portico::identity::ways_in
{

/// Whether the person could sign in to the organization with a method that the policy allows: a password or passkey of theirs, or a
/// provider that opens their account.
bool any(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const UserId& user);

/// A policy leaves a way in to one owner at least, and to the person who sets it in the organization.
/// @param actor Empty: works in another organization @throws Problem 400 `validation_failed` with `excludes_you`, `excludes_owners`
void require(Session& session, const OrganizationId& organization, const SecurityPolicy& policy, const std::optional<UserId>& actor);

} // namespace portico::identity::ways_in
