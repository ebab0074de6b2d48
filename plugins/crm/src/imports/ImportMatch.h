#pragma once

#include "exchange/ImportOptions.h"
#include "records/Contact.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Something by which a contact is known, in the form in which it is compared.
struct ImportMatchKey
{
    ImportKey kind = ImportKey::Email;
    /// E-mail and phone as the tables of contacts have them; of an external id what it is in that system.
    std::string text;
    /// System of an external id.
    std::string system;
    auto operator<=>(const ImportMatchKey&) const = default;
};

/// The contact's keys of some kinds, in the order of the kinds and then of the contact's lists.
std::vector<ImportMatchKey> keysOf(const Contact& contact, const std::vector<ImportKey>& kinds);

/// `onDuplicate=update`: what a row gives replaces what the contact has, lists as a whole; of external ids and custom fields those of the
/// same system and key. `members` are the names of the members that the row gives.
void overwrite(Contact& contact, const Contact& given, const std::vector<std::string>& members);

/// `onDuplicate=merge`: fills what is empty and adds to lists what they do not have.
void fillIn(Contact& contact, const Contact& given, const std::vector<std::string>& members);

/// True if the contact has all that is given: equal values, and in lists at least the same.
bool contains(const Contact& contact, const Contact& given, const std::vector<std::string>& members);

/// Adds the tags that the contact does not have.
void addTags(Contact& contact, const std::vector<std::string>& tags);

} // namespace portico::crm
