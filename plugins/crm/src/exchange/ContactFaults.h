#pragma once

#include "contacts/Contact.h"

#include "portico/Problem.h"

#include <vector>

namespace portico::crm
{

/// Every rule of the contact interface that a contact breaks, apart from its identity and what only the database knows. Nothing is changed
/// and nothing thrown.
std::vector<FieldError> faultsOf(const Contact& contact);

} // namespace portico::crm
