#pragma once

#include "contacts/Contact.h"

#include <cstddef>
#include <set>
#include <string>

namespace portico::crm
{

/// How much of everything the contacts of a file have: what its columns follow from. Small, whatever the number of contacts.
struct ExportShape
{
    std::size_t emails = 0;
    std::size_t phones = 0;
    std::size_t addresses = 0;
    std::size_t websites = 0;
    std::size_t socialProfiles = 0;
    std::size_t externalIds = 0;
    /// The primary one is not always the first.
    bool emailPrimaries = false;
    bool phonePrimaries = false;
    bool doNotContact = false;
    std::set<std::string> customFields;

    void see(const Contact& contact);
};

} // namespace portico::crm
