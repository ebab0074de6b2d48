#pragma once

#include "records/Contact.h"
#include "records/CustomField.h"

#include "portico/Problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// True with what a contact cannot be without: a name, a company, an e-mail address or a phone number.
bool hasIdentity(const Contact& contact);

/// The name that a contact gets when it is given none: the parts of the name, else the company, else the first e-mail or phone.
std::string builtDisplayName(const Contact& contact);

/// A tag as it is kept: without white space at its ends, and without control characters, which no address can hold.
std::string tagOf(std::string_view typed);

/// Puts a written contact in its final form (no invisible characters, labels, primary flags, E.164 forms, display name, tags) and checks
/// what the Schema cannot see. `before` is the stored contact, or null for a new one: a display name that was built stays built.
/// `callingCode` completes national phone numbers, `fields` are the organization's custom fields (customFieldsFor). A contact that was
/// completed already stays as it is. @throws Problem 400 `validation_failed` or `unknown_field` with every fault.
void complete(Contact& contact, const Contact* before, std::string_view callingCode, const CustomFields& fields);

/// Names of the members that differ, of those that a client can write.
std::vector<std::string> changedMembers(const Contact& before, const Contact& after);

/// Every rule of the contact interface that a contact breaks, apart from its identity and what only the database knows. Nothing is changed
/// and nothing thrown.
std::vector<FieldError> faultsOf(const Contact& contact);

} // namespace portico::crm
