#pragma once

#include "exchange/FieldPath.h"
#include "records/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// What a contact has at a path, as text for a cell of generic CSV; empty where it has nothing. Lists in one value are joined.
std::string valueAt(const Contact& contact, const FieldPath& path);

/// Names of the members that have a value, in the order of the interface; not those that cannot be without one (lifecycle, doNotContact).
std::vector<std::string> filledMembers(const Contact& contact);

} // namespace portico::crm
