#pragma once

#include "records/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// Removes invisible characters (`visibleText`, `visibleCharacters`) from the names, addresses, numbers, links and tags of a contact.
/// Custom fields and ids of other systems stay as they are. Returns the paths of the members that changed (`emails[0].address`). A second
/// call changes nothing.
std::vector<std::string> removeInvisible(Contact& contact);

/// Removes the fractions that a spreadsheet gave to phone numbers (`plainNumber`). Returns the paths of the members that changed.
std::vector<std::string> repairNumbers(Contact& contact);

} // namespace portico::crm
