#pragma once

#include "records/Contact.h"
#include "records/CustomField.h"

#include "portico/Problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Returns true if the contact has the required identity: a name, a company, an e-mail address or a phone number.
bool hasIdentity(const Contact& contact);

/// The name that a contact gets when it is given none: the parts of the name, else the company, else the first e-mail or phone.
std::string builtDisplayName(const Contact& contact);

/// Normalizes a tag: without surrounding white space, and without control characters, which no URL path can contain.
std::string tagOf(std::string_view typed);

/// Normalizes a written contact (no invisible characters, labels, primary flags, E.164 forms, display name, tags), and checks rules beyond
/// the Schema. Idempotent.
/// @param before the stored contact, or null for a new one; a generated display name is generated again
/// @param callingCode completes national phone numbers that `before` does not have in E.164 form
/// @param fields the organization's custom fields (customFieldsFor)
/// @throws Problem 400 `validation_failed` or `unknown_field` with every fault
void complete(Contact& contact, const Contact* before, std::string_view callingCode, const CustomFields& fields);

/// Names of the members that differ, of those that a client can write.
std::vector<std::string> changedMembers(const Contact& before, const Contact& after);

/// Every rule of the contact interface that a contact breaks, apart from its identity and what only the database knows. Nothing is changed
/// and nothing thrown.
std::vector<FieldError> faultsOf(const Contact& contact);

} // namespace portico::crm
