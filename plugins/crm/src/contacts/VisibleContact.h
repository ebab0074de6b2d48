#pragma once

#include "records/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// Removes invisible characters (`visibleText`, `visibleCharacters`) from the names, addresses, numbers, links and tags of a contact.
/// Custom fields and ids of other systems are unchanged. Idempotent. Returns the paths of changed members (`emails[0].address`).
std::vector<std::string> removeInvisible(Contact& contact);

/// Removes the fractions that a spreadsheet gave to phone numbers (`plainNumber`). Returns the paths of the members that changed.
std::vector<std::string> repairNumbers(Contact& contact);

} // namespace portico::crm
