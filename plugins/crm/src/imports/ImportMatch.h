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
    /// E-mail and phone in the form of the contacts' tables; for an external id its value.
    std::string text;
    /// System of an external id.
    std::string system;
    auto operator<=>(const ImportMatchKey&) const = default;
};

/// The contact's keys of some kinds, in the order of the kinds and then of the contact's lists.
std::vector<ImportMatchKey> keysOf(const Contact& contact, const std::vector<ImportKey>& kinds);

/// Implements `onDuplicate=update`: values of the row replace the contact's, lists as a whole. External ids and custom fields are replaced
/// by system and key.
/// @param members names of the members that the row sets
void overwrite(Contact& contact, const Contact& given, const std::vector<std::string>& members);

/// Implements `onDuplicate=merge`: fills empty members, and adds missing elements to lists.
void fillIn(Contact& contact, const Contact& given, const std::vector<std::string>& members);

/// True if the contact has all that is given: equal values, and in lists at least the same.
bool contains(const Contact& contact, const Contact& given, const std::vector<std::string>& members);

/// Adds the tags that the contact does not have.
void addTags(Contact& contact, const std::vector<std::string>& tags);

} // namespace portico::crm
