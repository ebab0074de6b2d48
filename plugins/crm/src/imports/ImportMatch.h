#pragma once

#include "contacts/Contact.h"
#include "exchange/ImportOptions.h"

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
    /// E-mail and phone as the tables of contacts have them; of an external id what it is in that system.
    std::string text;
    /// System of an external id.
    std::string system;
    auto operator<=>(const ImportMatchKey&) const = default;
};

/// The contact's keys of some kinds, in the order of the kinds and then of the contact's lists.
std::vector<ImportMatchKey> keysOf(const Contact& contact, const std::vector<ImportKey>& kinds);

} // namespace portico::crm
