#pragma once

#include "records/Contact.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::crm
{

// The tables beside `contact` that hold an element of a list in each row, for filters and for uniqueness.

/// Writes e-mail addresses, phone numbers and tags where they differ.
void changeLists(Session& session, Tenant tenant, const Contact& before, const Contact& after);
void writeExternalIds(Session& session, Tenant tenant, const Contact& contact);
void removeExternalIds(Session& session, Tenant tenant, const ContactId& id);

/// The elements of new contacts, with few statements.
void addLists(Session& session, Tenant tenant, const std::vector<const Contact*>& contacts);

/// Index of the first of the contact's external ids that another contact has.
std::optional<std::size_t> takenExternalId(Session& session, Tenant tenant, const Contact& contact);

} // namespace portico::crm
