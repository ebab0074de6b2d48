#include "exchange/CsvWriter.h"

#include "contacts/ContactRules.h"
#include "exchange/CsvText.h"

namespace portico::crm
{

namespace
{

/// Other programs have no place for a name as a whole: who has no other name gets it as the first name, so that nobody is nameless there.
void nameByParts(Contact& contact, const ExportStyle& style)
{
    if (style.preset == ExportPreset::Generic || !style.wants("displayName")) return;
    // HubSpot has no place for these either.
    if (style.preset == ExportPreset::Hubspot) contact.nickname.clear();
    const bool middleIsShown = style.preset != ExportPreset::Hubspot && !contact.middleName.empty();
    if (!contact.firstName.empty() || !contact.lastName.empty() || middleIsShown) return;
    contact.middleName.clear();
    if (contact.displayName != builtDisplayName(contact)) contact.firstName = contact.displayName;
}

} // namespace

void CsvWriter::begin(std::string& out)
{
    if (_style.bom || _style.preset == ExportPreset::Outlook) out += "\xef\xbb\xbf";
    appendCsvRecord(out, _header);
}

void CsvWriter::write(std::string& out, const ContactView& view)
{
    _cells.assign(_header.size(), {});
    auto contact = exportedContact(view, _style);
    nameByParts(contact, _style);
    fill(contact, _cells);
    appendCsvRecord(out, _cells);
}

} // namespace portico::crm
