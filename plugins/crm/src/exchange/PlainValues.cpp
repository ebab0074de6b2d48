#include "exchange/PlainValues.h"

#include "contacts/VisibleContact.h"
#include "text/PhoneNumber.h"
#include "text/VisibleText.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

namespace portico::crm
{

namespace
{

constexpr auto knownLabels = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"work", "work"},
    {"business", "work"},
    {"home", "home"},
    {"personal", "home"},
    {"other", "other"},
    {"mobile", "mobile"},
    {"cell", "mobile"},
    {"cellular", "mobile"},
    {"iphone", "mobile"},
    {"main", "main"},
    {"fax", "fax"},
    {"workfax", "work fax"},
    {"businessfax", "work fax"},
    {"homefax", "home fax"},
    {"otherfax", "fax"},
    {"pager", "pager"},
    {"car", "car"},
});

/// Removes prefixes and white space until there are none.
std::string_view without(std::string_view text, std::initializer_list<std::string_view> prefixes)
{
    text = trim(text);
    for (bool found = true; found;)
    {
        found = false;
        for (const auto prefix : prefixes)
        {
            if (fold(text.substr(0, prefix.size())) != prefix) continue;
            text = trim(text.substr(prefix.size()));
            found = true;
        }
    }
    return text;
}

/// Nothing to see: white space, and what `visibleText` leaves out.
bool isBlank(std::string_view text) { return trim(visibleText(text)).empty(); }

void clearBlank(std::initializer_list<std::string*> texts)
{
    for (auto* text : texts)
        if (isBlank(*text)) text->clear();
}

void makeLabelPlain(std::string& label)
{
    if (isBlank(label)) label = "other";
}

bool hasAddressPlace(const PostalAddress& address)
{
    return !address.street.empty() || !address.street2.empty() || !address.city.empty() || !address.region.empty() ||
           !address.postalCode.empty() || !address.country.empty();
}

} // namespace

std::string plainLabel(std::string_view label)
{
    label = trim(label);
    if (label.starts_with("_$!<") && label.ends_with(">!$_")) label = label.substr(4, label.size() - 8);
    std::string key;
    for (const char c : fold(label))
        if (c != ' ' && c != '_' && c != '-') key += c;
    for (const auto& [name, plain] : knownLabels)
        if (name == key) return std::string(plain);
    return std::string(label);
}

std::string capitalLabel(std::string_view label)
{
    std::string capital(label);
    for (const auto& [name, plain] : knownLabels)
    {
        if (plain != label) continue;
        bool first = true;
        for (char& c : capital)
        {
            if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
            first = c == ' ';
        }
        break;
    }
    return capital;
}

std::string_view plainEmail(std::string_view text)
{
    text = without(text, {"mailto:"});
    // Ada Lovelace <ada@example.com>
    const auto open = text.rfind('<');
    if (!text.ends_with('>') || open == std::string_view::npos) return text;
    return without(text.substr(open + 1, text.size() - open - 2), {"mailto:"});
}

std::string_view plainPhone(std::string_view text) { return without(text, {"'", "=", "tel://", "tel:", "callto:"}); }

std::optional<bool> flagOf(std::string_view text)
{
    const auto word = fold(trim(text));
    for (const std::string_view yes : {"true", "yes", "y", "1", "x"})
        if (word == yes) return true;
    for (const std::string_view no : {"false", "no", "n", "0"})
        if (word == no) return false;
    return std::nullopt;
}

void makePlain(Contact& contact)
{
    removeInvisible(contact);
    repairNumbers(contact);
    clearBlank({&contact.firstName, &contact.middleName, &contact.lastName, &contact.prefix, &contact.suffix, &contact.nickname,
                &contact.displayName, &contact.companyName, &contact.jobTitle, &contact.department, &contact.sourceDetail});
    for (auto& email : contact.emails)
    {
        email.address = std::string(plainEmail(email.address));
        makeLabelPlain(email.label);
    }
    for (auto& phone : contact.phones)
    {
        phone.number = std::string(plainPhone(phone.number));
        // Without `tel:` it may be known where it was not before.
        if (!phone.e164) phone.e164 = e164(phone.number, {});
        makeLabelPlain(phone.label);
    }
    for (auto& address : contact.addresses)
    {
        clearBlank({&address.street, &address.street2, &address.city, &address.region, &address.postalCode, &address.country});
        makeLabelPlain(address.label);
    }
    for (auto& website : contact.websites) website = std::string(trim(website));
    std::erase_if(contact.addresses, [](const PostalAddress& address) { return !hasAddressPlace(address); });
    std::erase_if(contact.socialProfiles, [](const SocialProfile& p) { return isBlank(p.service) || isBlank(p.value); });
    std::erase_if(contact.externalIds, [](const ExternalId& id) { return isBlank(id.system) || isBlank(id.id); });
}

} // namespace portico::crm
