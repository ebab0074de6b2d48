#pragma once

#include "contacts/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

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
