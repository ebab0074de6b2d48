#include "contacts/ContactRow.h"

#include "text/EmailKey.h"
#include "text/FoldedText.h"
#include "text/PhoneNumber.h"

#include "portico/Json.h"
#include "portico/Text.h"

namespace portico::crm
{

namespace
{

void addLine(std::string& text, std::string_view line)
{
    if (line.empty()) return;
    if (!text.empty()) text += '\n';
    text += line;
}

/// A folded line, and behind it the same without apostrophes and hyphens where it has any.
void addFolded(std::string& text, std::string_view folded)
{
    addLine(text, folded);
    if (const auto plain = withoutMarks(folded); plain != folded) addLine(text, plain);
}

} // namespace

std::string fullNameOf(const Contact& contact)
{
    std::string name;
    for (const auto* part : {&contact.firstName, &contact.middleName, &contact.lastName})
        if (const auto text = trim(*part); !text.empty()) (name += name.empty() ? "" : " ") += text;
    return name;
}

std::string foldedFullName(const Contact& contact) { return fold(fullNameOf(contact)); }

std::string phoneKey(const ContactPhone& phone) { return phone.e164 ? *phone.e164 : digitsOf(phone.number); }

std::string searchTextOf(const Contact& contact)
{
    std::string text;
    addFolded(text, fold(contact.displayName));
    addFolded(text, foldedFullName(contact));
    addFolded(text, fold(contact.nickname));
    addFolded(text, fold(contact.companyName));
    for (const auto& email : contact.emails)
    {
        const auto folded = fold(email.address);
        addFolded(text, folded);
        if (const auto key = emailKey(email.address); key && *key != folded) addFolded(text, *key);
    }
    for (const auto& phone : contact.phones)
    {
        const auto typed = digitsOf(phone.number);
        addLine(text, typed);
        if (phone.e164 && phone.e164->substr(1) != typed) addLine(text, phone.e164->substr(1));
    }
    return text;
}

namespace
{

void fill(ContactColumns& columns, const Contact& contact)
{
    // Removes members that answers add to the stored document.
    Contact stored = contact;
    stored.pipelines.reset();
    stored.counts.reset();
    columns.id = contact.id;
    columns.document.text = toJson(stored);
    columns.version = contact.version;
    columns.displayName = contact.displayName;
    columns.ownerUserId = contact.ownerUserId;
    columns.source = contact.source;
    columns.lifecycle = contact.lifecycle;
    columns.createdAt = contact.createdAt;
    columns.updatedAt = contact.updatedAt;
    columns.deletedAt = contact.deletedAt;
    columns.sortName = fold(contact.displayName);
    columns.sortLastName = fold(contact.lastName);
    columns.foldedName = foldedFullName(contact);
    columns.foldedCompany = fold(trim(contact.companyName));
}

} // namespace

ContactColumns columnsOf(const Contact& contact)
{
    ContactColumns columns;
    fill(columns, contact);
    return columns;
}

NewContactRow newRowOf(const Contact& contact, const ContactCounts& counts)
{
    NewContactRow row;
    fill(row, contact);
    row.noteCount = counts.notes;
    row.attachmentCount = counts.attachments;
    return row;
}

} // namespace portico::crm
