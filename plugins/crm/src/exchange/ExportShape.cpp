#include "exchange/ExportShape.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// Without a column for it, reading makes the first one primary.
template <class List>
bool firstIsPrimary(const List& list)
{
    return list.empty() || list.front().primary;
}

} // namespace

void ExportShape::see(const Contact& contact)
{
    emails = std::max(emails, contact.emails.size());
    phones = std::max(phones, contact.phones.size());
    addresses = std::max(addresses, contact.addresses.size());
    websites = std::max(websites, contact.websites.size());
    socialProfiles = std::max(socialProfiles, contact.socialProfiles.size());
    externalIds = std::max(externalIds, contact.externalIds.size());
    emailPrimaries = emailPrimaries || !firstIsPrimary(contact.emails);
    phonePrimaries = phonePrimaries || !firstIsPrimary(contact.phones);
    doNotContact = doNotContact || contact.doNotContact != DoNotContact{};
    for (const auto& [key, value] : contact.customFields) customFields.insert(key);
}

} // namespace portico::crm
