#include "contacts/ContactRules.h"

#include "contacts/VisibleContact.h"
#include "records/CustomValues.h"
#include "text/EmailKey.h"
#include "text/PhoneNumber.h"
#include "text/VisibleText.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <iterator>

namespace portico::crm
{

namespace
{

using Faults = std::vector<FieldError>;

std::string element(std::string_view list, std::size_t index, std::string_view member = {})
{
    return std::string(list) + '[' + std::to_string(index) + ']' + std::string(member);
}

void setLabel(std::string& label)
{
    if (trim(label).empty()) label = "other";
}

/// Exactly one element of a list that is not empty is primary.
template <class T>
void completePrimary(std::vector<T>& list, std::string_view name, Faults& faults)
{
    const auto count = std::count_if(list.begin(), list.end(), [](const T& item) { return item.primary; });
    if (count == 0 && !list.empty()) list.front().primary = true;
    if (count > 1) faults.push_back({std::string(name), "too_many_primary", "Only one can be primary"});
}

void completeEmails(Contact& contact, Faults& faults)
{
    for (std::size_t i = 0; i < contact.emails.size(); ++i)
    {
        setLabel(contact.emails[i].label);
        if (!emailKey(contact.emails[i].address))
            faults.push_back({element("emails", i, ".address"), "invalid_email", "Not an e-mail address"});
    }
    completePrimary(contact.emails, "emails", faults);
}

/// Returns the stored phone of the same number, or null.
const ContactPhone* storedPhone(const Contact* before, const std::string& number)
{
    if (!before) return nullptr;
    const auto found =
        std::find_if(before->phones.begin(), before->phones.end(), [&](const ContactPhone& phone) { return phone.number == number; });
    return found == before->phones.end() ? nullptr : &*found;
}

void completePhones(Contact& contact, const Contact* before, std::string_view callingCode, Faults& faults)
{
    for (std::size_t i = 0; i < contact.phones.size(); ++i)
    {
        auto& phone = contact.phones[i];
        setLabel(phone.label);
        const auto* stored = storedPhone(before, phone.number);
        // The stored form may have another calling code: that of an import, or of an earlier setting.
        phone.e164 = stored && stored->e164 ? stored->e164 : e164(phone.number, callingCode);
        // A number that was stored before a rule existed does not keep the rest of its contact from being changed.
        if (!looksLikePhoneNumber(phone.number) && !stored)
            faults.push_back({element("phones", i, ".number"), "invalid_phone", "Not a phone number"});
    }
    completePrimary(contact.phones, "phones", faults);
}

void completeTags(Contact& contact, Faults& faults)
{
    std::vector<std::string> tags;
    for (std::size_t i = 0; i < contact.tags.size(); ++i)
    {
        auto tag = tagOf(contact.tags[i]);
        if (tag.empty()) faults.push_back({element("tags", i), "required", "Must not be empty"});
        if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(std::move(tag));
    }
    contact.tags = std::move(tags);
}

/// Rejects required texts that consist of invisible characters only.
void checkShown(const Contact& contact, Faults& faults)
{
    const auto require = [&](const std::string& text, std::string field)
    {
        if (text.empty()) faults.push_back({std::move(field), "required", "Must not be empty"});
    };
    for (std::size_t i = 0; i < contact.websites.size(); ++i) require(contact.websites[i], element("websites", i));
    for (std::size_t i = 0; i < contact.socialProfiles.size(); ++i)
    {
        require(contact.socialProfiles[i].service, element("socialProfiles", i, ".service"));
        require(contact.socialProfiles[i].value, element("socialProfiles", i, ".value"));
    }
}

void checkExternalIds(const Contact& contact, Faults& faults)
{
    const auto& ids = contact.externalIds;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), ids[i]) != ids.begin() + static_cast<std::ptrdiff_t>(i))
            faults.push_back({element("externalIds", i), "not_unique", "Duplicate value"});
}

/// Maximum reported faults.
constexpr std::size_t maxFaults = 100;

void completeCustomFields(Contact& contact, const Contact* before, const CustomFields& fields, Faults& faults)
{
    if (before && before->customFields == contact.customFields) return;
    CustomValueFaults found;
    completeCustomValues(contact.customFields, before ? &before->customFields : nullptr, fields, found);
    if (found.unknown.size() > maxFaults) found.unknown.resize(maxFaults);
    if (!found.unknown.empty())
    {
        Problem problem(400, "unknown_field", "A custom field is not defined.");
        for (auto& fault : found.unknown) problem.with(std::move(fault));
        throw problem;
    }
    std::move(found.invalid.begin(), found.invalid.end(), std::back_inserter(faults));
}

void completeDisplayName(Contact& contact, const Contact* before)
{
    const bool wasBuilt = before && contact.displayName == before->displayName && before->displayName == builtDisplayName(*before);
    if (trim(contact.displayName).empty() || wasBuilt) contact.displayName = builtDisplayName(contact);
}

void checkIdentity(const Contact& contact, Faults& faults)
{
    if (!hasIdentity(contact))
        faults.push_back({"", "missing_identity", "A contact needs a name, a company, an e-mail address or a phone number"});
}

/// Appends the member's name if its values differ.
template <class Field>
void compareMember(const Field& field, const Contact& before, const Contact& after, std::vector<std::string>& changed)
{
    if (field.rules.readOnly || field.rules.columnOnly) return;
    if (!(before.*field.pointer == after.*field.pointer)) changed.emplace_back(field.name);
}

void checkRules(const Contact& contact, std::vector<FieldError>& errors)
{
    try
    {
        validate(contact);
    }
    catch (const Problem& problem)
    {
        errors = problem.errors();
    }
}

bool isNamed(const std::vector<FieldError>& errors, std::string_view field)
{
    return std::any_of(errors.begin(), errors.end(), [&](const FieldError& error) { return error.field == field; });
}

std::string elementOf(std::string_view list, std::size_t index, std::string_view member)
{
    return std::string(list) + '[' + std::to_string(index) + ']' + std::string(member);
}

void checkEmails(const Contact& contact, std::vector<FieldError>& errors)
{
    for (std::size_t i = 0; i < contact.emails.size(); ++i)
    {
        if (emailKey(contact.emails[i].address)) continue;
        auto field = elementOf("emails", i, ".address");
        if (!isNamed(errors, field)) errors.push_back({std::move(field), "invalid_email", "Not an e-mail address"});
    }
}

void checkPhones(const Contact& contact, std::vector<FieldError>& errors)
{
    for (std::size_t i = 0; i < contact.phones.size(); ++i)
    {
        if (looksLikePhoneNumber(contact.phones[i].number)) continue;
        auto field = elementOf("phones", i, ".number");
        if (!isNamed(errors, field)) errors.push_back({std::move(field), "invalid_phone", "Not a phone number"});
    }
}

} // namespace

bool hasIdentity(const Contact& contact)
{
    const auto names = {&contact.firstName, &contact.middleName,  &contact.lastName,
                        &contact.nickname,  &contact.displayName, &contact.companyName};
    // A name must have visible characters; otherwise lists and cards would show an empty line.
    const bool named = std::any_of(names.begin(), names.end(), [](const std::string* name) { return !trim(visibleText(*name)).empty(); });
    return named || !contact.emails.empty() || !contact.phones.empty();
}

std::string builtDisplayName(const Contact& contact)
{
    constexpr std::size_t longest = 300;
    std::string name;
    const bool hasName = !contact.firstName.empty() || !contact.middleName.empty() || !contact.lastName.empty();
    if (hasName)
        for (const auto* part : {&contact.prefix, &contact.firstName, &contact.middleName, &contact.lastName, &contact.suffix})
            if (const auto text = trim(*part); !text.empty()) (name += name.empty() ? "" : " ") += text;
    if (name.empty()) name = trim(contact.nickname);
    if (name.empty()) name = trim(contact.companyName);
    if (name.empty() && !contact.emails.empty()) name = contact.emails.front().address;
    if (name.empty() && !contact.phones.empty()) name = contact.phones.front().number;
    return std::string(firstCharacters(name, longest));
}

std::string tagOf(std::string_view typed)
{
    std::string tag(typed);
    std::replace_if(
        tag.begin(), tag.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return std::string(trim(tag));
}

void complete(Contact& contact, const Contact* before, std::string_view callingCode, const CustomFields& fields)
{
    Faults faults;
    removeInvisible(contact);
    repairNumbers(contact);
    checkShown(contact, faults);
    completeCustomFields(contact, before, fields, faults);
    completeEmails(contact, faults);
    completePhones(contact, before, callingCode, faults);
    completeTags(contact, faults);
    // Forms send an empty text for an empty field.
    if (contact.birthday && contact.birthday->empty()) contact.birthday.reset();
    for (auto& address : contact.addresses) setLabel(address.label);
    checkExternalIds(contact, faults);
    completeDisplayName(contact, before);
    checkIdentity(contact, faults);
    if (!faults.empty()) throw Problem::invalid(std::move(faults));
}

std::vector<std::string> changedMembers(const Contact& before, const Contact& after)
{
    std::vector<std::string> changed;
    fieldsOf<Contact>().apply([&](const auto&... fields) { (compareMember(fields, before, after, changed), ...); });
    return changed;
}

std::vector<FieldError> faultsOf(const Contact& contact)
{
    std::vector<FieldError> errors;
    checkRules(contact, errors);
    checkEmails(contact, errors);
    checkPhones(contact, errors);
    return errors;
}

} // namespace portico::crm
