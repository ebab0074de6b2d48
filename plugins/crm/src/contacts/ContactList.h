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

/// What a list needs to know beside its query.
struct ListSettings
{
    /// Contacts that were deleted before are no longer shown as restorable.
    Instant restorableSince{};
    /// For phone numbers typed without a calling code.
    std::string_view callingCode;
};

/// How conditions look into other tables.
enum class FilterShape : std::uint8_t
{
    /// Once, for all contacts that are found there.
    Sets,
    /// For one contact after the other.
    PerContact
};

/// Adds the conditions for the contacts `c` of the organization that a filter lets through.
void addFilter(SqlConditions& conditions, const ContactFilter& filter, Dialect dialect, Tenant tenant, const ListSettings& settings,
               FilterShape shape = FilterShape::Sets);

/// @throws Problem 400 for a member that contacts do not have.
void checkContactFields(const std::vector<std::string>& names);

/// The plan by which `listContacts` looks for the words (searchWords) of a filter. Null: the list itself asks the index and sorts.
std::unique_ptr<SearchPlan> searchPlanOf(Session& session, Tenant tenant, const ContactFilter& filter,
                                         const std::vector<std::string>& words, const ListSettings& settings);

/// One page of the contacts that a filter lets through, by keyset: rows that are inserted while somebody pages neither shift nor repeat
/// others.
/// @throws Problem 400 for a member in `fields` that contacts do not have.
Page<ContactView> listContacts(Session& session, Tenant tenant, const ContactFilter& filter, const Paging& paging,
                               const ListSettings& settings);

} // namespace portico::crm
