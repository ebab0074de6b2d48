#include "contacts/ContactKeys.h"

#include "text/EmailKey.h"
#include "text/Folding.h"

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

std::string searchText(const Contact& contact)
{
    std::string text;
    addLine(text, fold(contact.displayName));
    addLine(text, foldedFullName(contact));
    addLine(text, fold(contact.nickname));
    addLine(text, fold(contact.companyName));
    for (const auto& email : contact.emails)
    {
        addLine(text, fold(email.address));
        if (const auto key = emailKey(email.address); key && *key != fold(email.address)) addLine(text, *key);
    }
    for (const auto& phone : contact.phones)
    {
        const auto typed = digitsOf(phone.number);
        addLine(text, typed);
        if (phone.e164 && phone.e164->substr(1) != typed) addLine(text, phone.e164->substr(1));
    }
    return text;
}

} // namespace

std::string foldedFullName(const Contact& contact)
{
    std::string name;
    for (const auto* part : {&contact.firstName, &contact.middleName, &contact.lastName})
        if (const auto text = trim(*part); !text.empty()) (name += name.empty() ? "" : " ") += text;
    return fold(name);
}

std::string phoneKey(const ContactPhone& phone) { return phone.e164 ? *phone.e164 : digitsOf(phone.number); }

ContactKeys keysOf(const Contact& contact)
{
    ContactKeys keys;
    keys.sortName = fold(contact.displayName);
    keys.sortLastName = fold(contact.lastName);
    const auto name = foldedFullName(contact), company = fold(trim(contact.companyName));
    if (!name.empty() && !company.empty()) keys.nameKey = name + '\n' + company;
    keys.searchText = searchText(contact);
    return keys;
}

} // namespace portico::crm
