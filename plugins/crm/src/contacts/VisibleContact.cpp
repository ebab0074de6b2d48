#include "contacts/VisibleContact.h"

#include "text/PhoneNumber.h"
#include "text/VisibleText.h"

#include <string_view>
#include <utility>

namespace portico::crm
{

namespace
{

class InvisibleRemover
{
public:
    void name(std::string_view path, std::string& text) { replace(path, text, visibleText(text)); }
    void characters(std::string_view path, std::string& text) { replace(path, text, visibleCharacters(text)); }
    std::vector<std::string> changed;

private:
    void replace(std::string_view path, std::string& text, std::string visible)
    {
        if (visible == text) return;
        text = std::move(visible);
        changed.emplace_back(path);
    }
};

std::string itemPath(std::string_view list, std::size_t index, std::string_view member = {})
{
    return std::string(list) + '[' + std::to_string(index) + ']' + std::string(member);
}

void cleanNames(Contact& contact, InvisibleRemover& remover)
{
    remover.name("firstName", contact.firstName);
    remover.name("middleName", contact.middleName);
    remover.name("lastName", contact.lastName);
    remover.name("prefix", contact.prefix);
    remover.name("suffix", contact.suffix);
    remover.name("nickname", contact.nickname);
    remover.name("displayName", contact.displayName);
    remover.name("companyName", contact.companyName);
    remover.name("jobTitle", contact.jobTitle);
    remover.name("department", contact.department);
    remover.name("sourceDetail", contact.sourceDetail);
}

void cleanPostalAddress(PostalAddress& address, std::size_t index, InvisibleRemover& remover)
{
    remover.name(itemPath("addresses", index, ".street"), address.street);
    remover.name(itemPath("addresses", index, ".street2"), address.street2);
    remover.name(itemPath("addresses", index, ".city"), address.city);
    remover.name(itemPath("addresses", index, ".region"), address.region);
    remover.name(itemPath("addresses", index, ".postalCode"), address.postalCode);
    remover.name(itemPath("addresses", index, ".country"), address.country);
    remover.name(itemPath("addresses", index, ".label"), address.label);
}

void cleanLists(Contact& contact, InvisibleRemover& remover)
{
    for (std::size_t i = 0; i < contact.emails.size(); ++i)
    {
        remover.characters(itemPath("emails", i, ".address"), contact.emails[i].address);
        remover.name(itemPath("emails", i, ".label"), contact.emails[i].label);
    }
    for (std::size_t i = 0; i < contact.phones.size(); ++i)
    {
        remover.characters(itemPath("phones", i, ".number"), contact.phones[i].number);
        remover.name(itemPath("phones", i, ".label"), contact.phones[i].label);
    }
    for (std::size_t i = 0; i < contact.addresses.size(); ++i) cleanPostalAddress(contact.addresses[i], i, remover);
    for (std::size_t i = 0; i < contact.websites.size(); ++i) remover.characters(itemPath("websites", i), contact.websites[i]);
    for (std::size_t i = 0; i < contact.socialProfiles.size(); ++i)
    {
        remover.name(itemPath("socialProfiles", i, ".service"), contact.socialProfiles[i].service);
        remover.characters(itemPath("socialProfiles", i, ".value"), contact.socialProfiles[i].value);
    }
    for (std::size_t i = 0; i < contact.tags.size(); ++i) remover.name(itemPath("tags", i), contact.tags[i]);
}

} // namespace

std::vector<std::string> removeInvisible(Contact& contact)
{
    InvisibleRemover remover;
    cleanNames(contact, remover);
    cleanLists(contact, remover);
    return std::move(remover.changed);
}

std::vector<std::string> repairNumbers(Contact& contact)
{
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < contact.phones.size(); ++i)
    {
        auto plain = plainNumber(contact.phones[i].number);
        if (!plain) continue;
        contact.phones[i].number = *std::move(plain);
        changed.push_back(itemPath("phones", i, ".number"));
    }
    return changed;
}

} // namespace portico::crm
