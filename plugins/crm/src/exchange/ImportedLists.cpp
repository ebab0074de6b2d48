#include "exchange/ImportedLists.h"

#include "exchange/FieldValue.h"
#include "exchange/PlainValues.h"
#include "text/PhoneNumber.h"

#include "portico/Text.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace portico::crm
{

namespace
{

/// No list of a contact is as long; more are not kept.
constexpr std::size_t maxElements = 100;

void appendPart(std::string& text, std::string_view part, std::string_view separator)
{
    if (!text.empty()) text += separator;
    text += part;
}

bool startsWithDigit(std::string_view text) { return text.front() >= '0' && text.front() <= '9'; }

template <class List>
void sortElements(List& list)
{
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& left, const auto& right)
                     { return left.index != right.index ? left.index < right.index : left.part < right.part; });
}

/// Copies a label that a cell has once to all values of the cell, such as `Home` beside two addresses.
template <class List, class Owner, class Member>
void shareFirst(List& list, Member Owner::*member)
{
    for (auto& item : list)
    {
        if (item.part == 0) continue;
        const auto first = std::find_if(list.begin(), list.end(), [&](const auto& other) { return other.index == item.index; });
        if ((item.value.*member).empty()) item.value.*member = first->value.*member;
    }
}

template <class List>
void keepFirstPrimary(List& list)
{
    bool found = false;
    for (auto& item : list)
    {
        if (found) item.value.primary = false;
        found = found || item.value.primary;
    }
}

template <class List>
void setLabels(List& list)
{
    for (auto& item : list)
        if (item.value.label.empty()) item.value.label = "other";
}

void setLabel(std::string& label, bool& primary, const Binding& binding, std::string_view value)
{
    if (!binding.foreignLabels)
    {
        label = value;
        return;
    }
    // Google marks the first choice so.
    if (value.starts_with("* ") || value == "*")
    {
        primary = true;
        value.remove_prefix(1);
    }
    label = plainLabel(value);
}

bool hasPlace(const PostalAddress& address)
{
    return !address.street.empty() || !address.street2.empty() || !address.city.empty() || !address.region.empty() ||
           !address.postalCode.empty() || !address.country.empty();
}

bool isWholeList(Target target) { return target == Target::Emails || target == Target::Phones || target == Target::Websites; }

/// Values of a column with all values follow those of numbered columns.
std::size_t listIndex(const FieldPath& path) { return isWholeList(path.target) ? maxElements : path.index; }

/// Moves the values of a column with all values to the first place, if no other column has it. Label and calling code may be there.
template <class List, class Text>
void moveToFirst(List& list, const Text& text)
{
    const auto isFirst = [&](const auto& item) { return item.index == 0 && !std::invoke(text, item.value).empty(); };
    if (std::any_of(list.begin(), list.end(), isFirst)) return;
    for (auto& item : list)
    {
        if (item.index != maxElements) continue;
        item.index = 0;
        ++item.part;
    }
}

/// Drops values of a column with all values that a numbered column has, too. The list must be sorted.
template <class List, class Text>
void dropRepeated(List& list, const Text& text)
{
    const auto whole = std::find_if(list.begin(), list.end(), [](const auto& item) { return item.index == maxElements; });
    const auto isRepeated = [&](const auto& item)
    {
        return std::any_of(list.begin(), whole,
                           [&](const auto& numbered) { return std::invoke(text, numbered.value) == std::invoke(text, item.value); });
    };
    list.erase(std::remove_if(whole, list.end(), isRepeated), list.end());
}

bool setFlag(bool& flag, std::string_view value)
{
    const auto found = flagOf(value);
    if (found) flag = *found;
    return found.has_value();
}

/// Returns the origin of the element in a field's path; for the list as a whole that of its first element.
template <class List>
Origin originIn(const List& list, std::string_view field)
{
    if (list.empty()) return {};
    const auto bracket = field.find('[');
    if (bracket == std::string_view::npos) return list.front().origin;
    const auto index = static_cast<std::size_t>(std::atoi(std::string(field.substr(bracket + 1)).c_str()));
    return index < list.size() ? list[index].origin : Origin{};
}

} // namespace

void ImportedLists::clear()
{
    _emails.clear();
    _phones.clear();
    _addresses.clear();
    _websites.clear();
    _profiles.clear();
    _externalIds.clear();
}

template <class T>
ImportedLists::Element<T>* ImportedLists::element(Elements<T>& list, std::size_t index, std::size_t part)
{
    for (auto& item : list)
        if (item.index == index && item.part == part) return &item;
    // More than the rules allow is enough to break them.
    if (list.size() == maxElements) return nullptr;
    auto& added = list.emplace_back();
    added.index = index;
    added.part = part;
    // Until one is given: the default is for the end.
    if constexpr (requires { added.value.label; }) added.value.label.clear();
    return &added;
}

template <class T, class F>
ImportedLists::Element<T>* ImportedLists::freeElement(Elements<T>& list, std::size_t index, std::size_t part, const F& isFree)
{
    auto* found = element(list, index, part);
    while (found && !isFree(found->value)) found = element(list, index, ++part);
    return found;
}

bool ImportedLists::give(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    switch (binding.path.target)
    {
    case Target::Emails:
    case Target::EmailAddress:
    case Target::EmailLabel:
    case Target::EmailPrimary:
        return giveEmail(binding, value, part, origin);
    case Target::Phones:
    case Target::PhoneNumber:
    case Target::PhoneCallingCode:
    case Target::PhoneLabel:
    case Target::PhonePrimary:
        return givePhone(binding, value, part, origin);
    case Target::Street:
    case Target::Street2:
    case Target::City:
    case Target::Region:
    case Target::PostalCode:
    case Target::Country:
    case Target::AddressLabel:
        giveAddress(binding, value, part, origin);
        return true;
    default:
        giveOther(binding, value, part, origin);
        return true;
    }
}

bool ImportedLists::giveEmail(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    const auto target = binding.path.target;
    const bool isAddress = target == Target::EmailAddress || target == Target::Emails;
    auto* email =
        freeElement(_emails, listIndex(binding.path), part,
                    [&](const ContactEmail& each) { return !isAddress || each.address.empty() || each.address == plainEmail(value); });
    if (!email) return true;
    if (target == Target::EmailPrimary) return setFlag(email->value.primary, value);
    if (target == Target::EmailLabel)
        setLabel(email->value.label, email->value.primary, binding, value);
    else
    {
        email->value.address = plainEmail(value);
        if (email->value.label.empty()) email->value.label = binding.label;
        email->origin = origin;
    }
    return true;
}

bool ImportedLists::givePhone(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    const auto target = binding.path.target;
    const bool isNumber = target == Target::PhoneNumber || target == Target::Phones;
    auto* phone = freeElement(_phones, listIndex(binding.path), part,
                              [&](const Phone& each) { return !isNumber || each.number.empty() || each.number == plainPhone(value); });
    if (!phone) return true;
    if (target == Target::PhonePrimary) return setFlag(phone->value.primary, value);
    if (target == Target::PhoneLabel)
        setLabel(phone->value.label, phone->value.primary, binding, value);
    else if (target == Target::PhoneCallingCode)
        phone->value.code = trim(value);
    else
    {
        phone->value.number = plainPhone(value);
        if (phone->value.label.empty()) phone->value.label = binding.label;
        phone->origin = origin;
    }
    return true;
}

void ImportedLists::giveAddress(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    auto* address = element(_addresses, binding.path.index, part);
    if (!address) return;
    if (binding.path.target == Target::AddressLabel)
    {
        bool primary = false;
        return setLabel(address->value.label, primary, binding, value);
    }
    if (address->value.label.empty()) address->value.label = binding.label;
    if (address->origin.column.empty()) address->origin = origin;
    if (binding.wholeAddress)
        address->value.whole = value;
    else
        // Appends a house number from a separate column.
        appendPart(address->value.*addressMember(binding.path.target), value,
                   binding.path.target == Target::Street && startsWithDigit(value) ? " " : ", ");
}

void ImportedLists::giveOther(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    const auto index = binding.path.index;
    const auto target = binding.path.target;
    switch (target)
    {
    case Target::Websites:
    case Target::Website:
        if (auto* website = freeElement(_websites, listIndex(binding.path), part,
                                        [&](const std::string& each) { return each.empty() || each == trim(value); }))
        {
            website->value = trim(value);
            website->origin = origin;
        }
        return;
    case Target::ProfileService:
    case Target::ProfileValue:
        if (auto* profile = element(_profiles, index, part))
        {
            (target == Target::ProfileService ? profile->value.service : profile->value.value) = value;
            if (profile->value.service.empty()) profile->value.service = binding.label;
            if (target == Target::ProfileValue) profile->origin = origin;
        }
        return;
    case Target::ExternalSystem:
    case Target::ExternalId:
        if (auto* id = element(_externalIds, index, part))
        {
            (target == Target::ExternalSystem ? id->value.system : id->value.id) = value;
            if (target == Target::ExternalId) id->origin = origin;
        }
        return;
    case Target::ExternalIdOf:
        if (auto* id = element(_externalIds, maxElements + _externalIds.size(), part))
        {
            id->value = {binding.path.key, std::string(value)};
            id->origin = origin;
        }
        return;
    default:
        return;
    }
}

void ImportedLists::closeEmails(Contact& contact)
{
    moveToFirst(_emails, &ContactEmail::address);
    sortElements(_emails);
    shareFirst(_emails, &ContactEmail::label);
    std::erase_if(_emails, [](const auto& item) { return item.value.address.empty(); });
    dropRepeated(_emails, &ContactEmail::address);
    setLabels(_emails);
    keepFirstPrimary(_emails);
    for (auto& item : _emails) contact.emails.push_back(std::move(item.value));
}

void ImportedLists::closePhones(Contact& contact)
{
    moveToFirst(_phones, &Phone::number);
    sortElements(_phones);
    shareFirst(_phones, &Phone::label);
    shareFirst(_phones, &Phone::code);
    for (auto& item : _phones) item.value.number = withCallingCode(item.value.number, item.value.code);
    std::erase_if(_phones, [](const auto& item) { return item.value.number.empty(); });
    dropRepeated(_phones, &Phone::number);
    setLabels(_phones);
    keepFirstPrimary(_phones);
    for (auto& item : _phones) contact.phones.push_back(std::move(item.value));
}

void ImportedLists::closeAddresses(Contact& contact)
{
    sortElements(_addresses);
    for (auto& item : _addresses)
        if (!hasPlace(item.value)) item.value.street = item.value.whole;
    for (auto& item : _addresses)
        if (item.part > 0 && item.value.label.empty())
            for (const auto& first : _addresses)
                if (first.index == item.index && first.part == 0) item.value.label = first.value.label;
    std::erase_if(_addresses, [](const auto& item) { return !hasPlace(item.value); });
    setLabels(_addresses);
    for (const auto& item : _addresses) contact.addresses.push_back(item.value);
}

void ImportedLists::closeOthers(Contact& contact)
{
    sortElements(_websites);
    dropRepeated(_websites, std::identity{});
    for (auto& item : _websites) contact.websites.push_back(std::move(item.value));
    sortElements(_profiles);
    std::erase_if(_profiles, [](const auto& item) { return item.value.value.empty(); });
    for (auto& item : _profiles) contact.socialProfiles.push_back(std::move(item.value));
    sortElements(_externalIds);
    std::erase_if(_externalIds, [](const auto& item) { return item.value.id.empty(); });
    auto& ids = contact.externalIds;
    for (auto& item : _externalIds)
        if (std::find(ids.begin(), ids.end(), item.value) == ids.end()) ids.push_back(std::move(item.value));
}

void ImportedLists::close(Contact& contact)
{
    closeEmails(contact);
    closePhones(contact);
    closeAddresses(contact);
    closeOthers(contact);
}

Origin ImportedLists::originOf(std::string_view field) const
{
    const auto name = field.substr(0, field.find('['));
    if (name == "emails") return originIn(_emails, field);
    if (name == "phones") return originIn(_phones, field);
    if (name == "addresses") return originIn(_addresses, field);
    if (name == "websites") return originIn(_websites, field);
    if (name == "socialProfiles") return originIn(_profiles, field);
    if (name == "externalIds") return originIn(_externalIds, field);
    return {};
}

} // namespace portico::crm
