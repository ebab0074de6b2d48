#pragma once

#include "catalog/Catalog.h"
#include "common/Settings.h"
#include "records/Organization.h"

#include "portico/Database.h"

#include <string>

namespace portico::identity
{

/// Slug of the admin organization, whose members can hold a platform role. Reserved.
inline constexpr std::string_view adminSlug = "admin";

struct NewOrganization
{
    std::string name;
    /// Empty: made from the name.
    std::string slug;
    OrganizationKind kind = OrganizationKind::Business;
};

namespace organizations
{
/// Makes an organization without members, with access to the services of `identity.defaultServiceAccess`.
/// @throws Problem 409 `slug_in_use` for a slug that was asked for
Organization found(Transaction& transaction, const Catalog& catalog, const Settings& settings, const NewOrganization& wanted, Instant now);
} // namespace organizations

} // namespace portico::identity
