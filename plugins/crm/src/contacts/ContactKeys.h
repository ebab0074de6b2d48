#pragma once

#include "contacts/Contact.h"

#include <string>
#include <vector>

namespace portico::crm
{

/// What is stored beside a contact so that it can be sorted, filtered and found: made from it whenever it is written.
struct ContactKeys
{
    std::string sortName;
    std::string sortLastName;
    /// Folded full name and company; empty unless there are both.
    std::string nameKey;
    /// Folded names, company, e-mail addresses and digits of phone numbers, a line each.
    std::string searchText;
};

ContactKeys keysOf(const Contact& contact);

/// First, middle and last name, folded.
std::string foldedFullName(const Contact& contact);

/// How a phone number is compared: its E.164 form, else its digits.
std::string phoneKey(const ContactPhone& phone);

} // namespace portico::crm
