#pragma once

#include "records/ContactRequests.h"
#include "records/ContactView.h"
#include "search/ContactText.h"
#include "search/SearchPlan.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Parameters of a list beside its query.
struct ListSettings
{
    /// Contacts that were deleted before this time are not listed as restorable.
    Instant restorableSince{};
    /// Calling code for national phone numbers.
    std::string_view callingCode;
};

/// Form of conditions on other tables.
enum class FilterShape : std::uint8_t
{
    /// One subquery for all contacts.
    Sets,
    /// A correlated subquery for each contact.
    PerContact
};

/// Adds the conditions for the organization's contacts `c` that match a filter.
void addFilter(SqlConditions& conditions, const ContactFilter& filter, Dialect dialect, Tenant tenant, const ListSettings& settings,
               FilterShape shape = FilterShape::Sets);

/// @throws Problem 400 for an unknown member of contacts.
void checkContactFields(const std::vector<std::string>& names);

/// Chooses the plan by which `listContacts` searches the words (searchWords) of a filter. Null: the list itself queries the index and
/// sorts.
std::unique_ptr<SearchPlan> searchPlanOf(Session& session, Tenant tenant, const ContactFilter& filter,
                                         const std::vector<std::string>& words, const ListSettings& settings);

/// Returns a page of the contacts that match a filter. Pages use keyset cursors, so concurrent inserts neither shift nor repeat rows.
/// @throws Problem 400 for an unknown member of contacts in `fields`
Page<ContactView> listContacts(Session& session, Tenant tenant, const ContactFilter& filter, const Paging& paging,
                               const ListSettings& settings);

} // namespace portico::crm
