#pragma once

#include "contacts/ContactView.h"
#include "data/SqlText.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::crm
{

/// How a search goes about its filters; what it finds is the same.
enum class SearchPlan : std::uint8_t
{
    /// Looks for the words, and at each contact whether the filters let it through.
    WordsFirst,
    /// Reads all contacts that the filters let through, which are few, and looks for the words in them.
    FiltersFirst
};

/// One page of the contacts that have all of some words (searchWords, at least one), best matches first: those in which each word begins a
/// word, by the word that it begins (so whole words before longer ones), then by name; then those in which some word stands inside of
/// another, in the order in which they came. By keyset, and with bounded work: a page of a common word costs no more than one of a rare
/// one. Where thousands of contacts with the words are not let through, a page ends before it is full, with a cursor to go on.
/// `filters` are the conditions on contacts `c`, with the organization bound first.
Page<ContactView> searchContacts(Session& session, const std::vector<std::string>& words, const SqlConditions& filters, SearchPlan plan,
                                 const Paging& paging);

} // namespace portico::crm
