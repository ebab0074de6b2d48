#include "imports/ImportMatch.h"

#include "contacts/ContactRow.h"
#include "text/EmailKey.h"

namespace portico::crm
{

namespace
{

void addKeys(const Contact& contact, ImportKey kind, std::vector<ImportMatchKey>& keys)
{
    switch (kind)
    {
    case ImportKey::Email:
        for (const auto& email : contact.emails)
            if (auto key = emailKey(email.address)) keys.push_back({kind, *std::move(key), {}});
        break;
    case ImportKey::Phone:
        for (const auto& phone : contact.phones) keys.push_back({kind, phoneKey(phone), {}});
        break;
    case ImportKey::ExternalId:
        for (const auto& external : contact.externalIds) keys.push_back({kind, external.id, external.system});
        break;
    }
}

} // namespace

std::vector<ImportMatchKey> keysOf(const Contact& contact, const std::vector<ImportKey>& kinds)
{
    std::vector<ImportMatchKey> keys;
    for (const auto kind : kinds) addKeys(contact, kind, keys);
    return keys;
}

} // namespace portico::crm
