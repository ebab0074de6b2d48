#pragma once

#include "exchange/FieldPath.h"
#include "records/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// The member of a contact that a target is; null for a target that is not one text.
std::string Contact::*textMember(Target target);
/// The member of an address that a target is, for targets from `Street` to `AddressLabel`.
std::string PostalAddress::*addressMember(Target target);

/// Returns the contact's value at a path as text for a cell of generic CSV; empty if it has none. Lists in one value are joined.
std::string valueAt(const Contact& contact, const FieldPath& path);

/// Returns the names of the members that have a value, in the order of the interface. Leaves out members that always have one (lifecycle,
/// doNotContact).
std::vector<std::string> filledMembers(const Contact& contact);

} // namespace portico::crm
