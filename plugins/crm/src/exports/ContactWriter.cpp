#include "exports/ContactWriter.h"

#include "contacts/ContactRules.h"
#include "csv/FixedCsvWriter.h"
#include "csv/GenericCsvWriter.h"
#include "csv/GoogleCsvWriter.h"
#include "text/PlainValues.h"
#include "vcard/VcardWriter.h"
#include "json/JsonWriter.h"

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

std::unique_ptr<ContactWriter> makeContactWriter(const ExportStyle& style, const ExportShape& shape)
{
    if (style.format == ExportFormat::Vcard) return std::make_unique<VcardWriter>(style);
    if (style.format != ExportFormat::Csv) return std::make_unique<JsonWriter>(style);
    if (style.preset == ExportPreset::Google) return std::make_unique<GoogleCsvWriter>(style, shape);
    if (style.preset == ExportPreset::Generic) return std::make_unique<GenericCsvWriter>(style, shape);
    return std::make_unique<FixedCsvWriter>(style);
}

bool needsShape(const ExportStyle& style)
{
    return style.format == ExportFormat::Csv && (style.preset == ExportPreset::Generic || style.preset == ExportPreset::Google);
}

Contact exportedContact(const ContactView& view, const ExportStyle& style)
{
    const auto& type = detail::typeOf<Contact>;
    Contact contact;
    detail::readJson(view.document.text, type, &contact, detail::ReadMode::Stored);
    makePlain(contact);
    // A vCard is none without a name.
    if (contact.displayName.empty()) contact.displayName = builtDisplayName(contact);
    for (std::size_t i = 0; i < type.memberCount; ++i)
    {
        const auto name = type.members[i].name;
        const bool kept = name == "id" || name == "displayName" || name == "createdAt" || name == "updatedAt" || style.wants(name);
        if (!kept) type.members[i].type->reset(type.members[i].reach(&contact));
    }
    return contact;
}

} // namespace portico::crm
