#include "exchange/FieldValue.h"

#include "exchange/Binding.h"
#include "records/CustomValues.h"

#include "portico/Json.h"

#include <array>

namespace portico::crm
{

namespace
{

std::string flag(bool value) { return value ? "true" : "false"; }

template <class List, class F>
std::string elementValue(const List& list, std::size_t index, F value)
{
    return index < list.size() ? value(list[index]) : std::string{};
}

std::string customFieldValue(const Contact& contact, const std::string& key)
{
    const auto found = contact.customFields.find(key);
    return found == contact.customFields.end() ? std::string{} : customValueToText(found->second);
}

std::string externalIdValue(const Contact& contact, std::string_view system)
{
    for (const auto& id : contact.externalIds)
        if (id.system == system) return id.id;
    return {};
}

template <class List, class F>
std::string joined(const List& list, F value)
{
    std::vector<std::string> values;
    for (const auto& item : list) values.push_back(value(item));
    return joinList(values, ListStyle::Escaped);
}

std::string listValue(const Contact& contact, const FieldPath& path)
{
    const auto i = path.index;
    switch (path.target)
    {
    case Target::Emails:
        return joined(contact.emails, [](const ContactEmail& e) { return e.address; });
    case Target::Phones:
        return joined(contact.phones, [](const ContactPhone& p) { return p.number; });
    case Target::Websites:
        return joinList(contact.websites, ListStyle::Escaped);
    case Target::EmailAddress:
        return elementValue(contact.emails, i, [](const ContactEmail& e) { return e.address; });
    case Target::EmailLabel:
        return elementValue(contact.emails, i, [](const ContactEmail& e) { return e.label; });
    case Target::EmailPrimary:
        return elementValue(contact.emails, i, [](const ContactEmail& e) { return flag(e.primary); });
    case Target::PhoneNumber:
        return elementValue(contact.phones, i, [](const ContactPhone& p) { return p.number; });
    case Target::PhoneLabel:
        return elementValue(contact.phones, i, [](const ContactPhone& p) { return p.label; });
    case Target::PhonePrimary:
        return elementValue(contact.phones, i, [](const ContactPhone& p) { return flag(p.primary); });
    case Target::Website:
        return elementValue(contact.websites, i, [](const std::string& w) { return w; });
    case Target::ProfileService:
        return elementValue(contact.socialProfiles, i, [](const SocialProfile& p) { return p.service; });
    case Target::ProfileValue:
        return elementValue(contact.socialProfiles, i, [](const SocialProfile& p) { return p.value; });
    case Target::ExternalSystem:
        return elementValue(contact.externalIds, i, [](const ExternalId& e) { return e.system; });
    case Target::ExternalId:
        return elementValue(contact.externalIds, i, [](const ExternalId& e) { return e.id; });
    case Target::ExternalIdOf:
        return externalIdValue(contact, path.key);
    default:
        return elementValue(contact.addresses, i, [&](const PostalAddress& a) { return a.*addressMember(path.target); });
    }
}

} // namespace

std::string Contact::*textMember(Target target)
{
    constexpr std::array members{&Contact::firstName, &Contact::middleName, &Contact::lastName,    &Contact::prefix,
                                 &Contact::suffix,    &Contact::nickname,   &Contact::displayName, &Contact::companyName,
                                 &Contact::jobTitle,  &Contact::department, &Contact::sourceDetail};
    static_assert(members.size() == static_cast<std::size_t>(Target::SourceDetail) + 1);
    const auto place = static_cast<std::size_t>(target);
    return place < members.size() ? members[place] : nullptr;
}

std::string PostalAddress::*addressMember(Target target)
{
    constexpr std::array members{&PostalAddress::street,     &PostalAddress::street2, &PostalAddress::city, &PostalAddress::region,
                                 &PostalAddress::postalCode, &PostalAddress::country, &PostalAddress::label};
    constexpr auto first = static_cast<std::size_t>(Target::Street);
    static_assert(members.size() == static_cast<std::size_t>(Target::AddressLabel) - first + 1);
    return members.at(static_cast<std::size_t>(target) - first);
}

std::string valueAt(const Contact& contact, const FieldPath& path)
{
    if (const auto text = textMember(path.target)) return contact.*text;
    switch (path.target)
    {
    case Target::Birthday:
        return contact.birthday.value_or(std::string{});
    case Target::Lifecycle:
        return std::string(toString(contact.lifecycle));
    case Target::Source:
        return contact.source ? std::string(toString(*contact.source)) : std::string{};
    case Target::OwnerUserId:
        return contact.ownerUserId ? contact.ownerUserId->text() : std::string{};
    case Target::DoNotEmail:
        return flag(contact.doNotContact.email);
    case Target::DoNotPhone:
        return flag(contact.doNotContact.phone);
    case Target::DoNotText:
        return flag(contact.doNotContact.sms);
    case Target::Tags:
        return joinList(contact.tags, ListStyle::Escaped);
    case Target::CustomMap:
        return contact.customFields.empty() ? std::string{} : toJson(contact.customFields);
    case Target::CustomValue:
        return customFieldValue(contact, path.key);
    case Target::BirthdayYear:
    case Target::BirthdayMonth:
    case Target::BirthdayDay:
    case Target::PhoneCallingCode:
    case Target::OwnerEmail:
    case Target::Notes:
        return {};
    default:
        return listValue(contact, path);
    }
}

std::vector<std::string> filledMembers(const Contact& contact)
{
    std::vector<std::string> names;
    const auto add = [&](std::string_view name, bool there)
    {
        if (there) names.emplace_back(name);
    };
    add("firstName", !contact.firstName.empty());
    add("middleName", !contact.middleName.empty());
    add("lastName", !contact.lastName.empty());
    add("prefix", !contact.prefix.empty());
    add("suffix", !contact.suffix.empty());
    add("nickname", !contact.nickname.empty());
    add("displayName", !contact.displayName.empty());
    add("emails", !contact.emails.empty());
    add("phones", !contact.phones.empty());
    add("addresses", !contact.addresses.empty());
    add("companyName", !contact.companyName.empty());
    add("jobTitle", !contact.jobTitle.empty());
    add("department", !contact.department.empty());
    add("websites", !contact.websites.empty());
    add("socialProfiles", !contact.socialProfiles.empty());
    add("birthday", contact.birthday.has_value());
    add("tags", !contact.tags.empty());
    add("ownerUserId", contact.ownerUserId.has_value());
    add("source", contact.source.has_value());
    add("sourceDetail", !contact.sourceDetail.empty());
    add("customFields", !contact.customFields.empty());
    add("externalIds", !contact.externalIds.empty());
    return names;
}

} // namespace portico::crm
