#include "exchange/ContactWriter.h"

#include "contacts/ContactRules.h"
#include "exchange/PlainValues.h"

#include "portico/Json.h"

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

bool ExportStyle::wants(std::string_view member) const
{
    return fields.empty() || std::find(fields.begin(), fields.end(), member) != fields.end();
}

bool needsShape(const ExportStyle& style)
{
    return style.format == ExportFormat::Csv && (style.preset == ExportPreset::Generic || style.preset == ExportPreset::Google);
}

Contact exportedContact(const ContactView& view, const ExportStyle& style)
{
    auto contact = fromStoredJson<Contact>(view.document.text);
    makePlain(contact);
    // A vCard is none without a name.
    if (contact.displayName.empty()) contact.displayName = builtDisplayName(contact);
    const auto keep = [&](const auto& field)
    {
        const auto name = field.name;
        const bool kept = name == "id" || name == "displayName" || name == "createdAt" || name == "updatedAt" || style.wants(name);
        if (!kept) contact.*field.pointer = {};
    };
    fieldsOf<Contact>().apply([&](const auto&... fields) { (keep(fields), ...); });
    return contact;
}

} // namespace portico::crm
