#include "exchange/RecordBuilder.h"

#include "contacts/ContactRules.h"
#include "exchange/ContactFaults.h"
#include "exchange/Dates.h"
#include "exchange/FieldValue.h"
#include "exchange/Labels.h"
#include "exchange/PlainValues.h"
#include "text/Folding.h"

#include "portico/Json.h"

#include <algorithm>
#include <cstdlib>

namespace portico::crm
{

namespace
{

/// No list of a contact is as long; more are counted, not kept.
constexpr std::size_t mostElements = 100;
constexpr std::size_t mostProblems = 20;
constexpr std::size_t shownCharacters = 100;
constexpr std::size_t longestNote = 20000;

std::size_t indexOf(Target target) { return static_cast<std::size_t>(target); }

std::size_t characters(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::optional<bool> flagOf(std::string_view text)
{
    const auto word = fold(trim(text));
    for (const std::string_view yes : {"true", "yes", "y", "1", "x"})
        if (word == yes) return true;
    for (const std::string_view no : {"false", "no", "n", "0"})
        if (word == no) return false;
    return std::nullopt;
}

/// Ours, and HubSpot's.
std::optional<Lifecycle> lifecycleOf(std::string_view text)
{
    auto word = fold(trim(text));
    std::replace(word.begin(), word.end(), ' ', '_');
    word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
    if (word == "subscriber" || word == "marketingqualifiedlead" || word == "salesqualifiedlead") return Lifecycle::Lead;
    if (word == "opportunity") return Lifecycle::Prospect;
    if (word == "evangelist") return Lifecycle::Customer;
    return parseWord<Lifecycle>(word);
}

void appendPart(std::string& text, std::string_view part)
{
    if (!text.empty()) text += ", ";
    text += part;
}

template <class List>
void sortElements(List& list)
{
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& left, const auto& right)
                     { return left.index != right.index ? left.index < right.index : left.part < right.part; });
}

/// What one part of a cell says for all: `Home` beside two addresses.
template <class List, class T, class Member>
void shareFirst(List& list, Member T::*member)
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

/// Of several values in one cell, where only one can be kept.
std::string firstOf(std::string_view value, ListStyle style)
{
    if (style == ListStyle::None) return std::string(value);
    auto values = splitList(value, style);
    return values.empty() ? std::string{} : std::move(values.front());
}

std::string* textMember(Contact& contact, Target target)
{
    switch (target)
    {
    case Target::FirstName:
        return &contact.firstName;
    case Target::MiddleName:
        return &contact.middleName;
    case Target::LastName:
        return &contact.lastName;
    case Target::Prefix:
        return &contact.prefix;
    case Target::Suffix:
        return &contact.suffix;
    case Target::Nickname:
        return &contact.nickname;
    case Target::DisplayName:
        return &contact.displayName;
    case Target::CompanyName:
        return &contact.companyName;
    case Target::JobTitle:
        return &contact.jobTitle;
    case Target::Department:
        return &contact.department;
    case Target::SourceDetail:
        return &contact.sourceDetail;
    default:
        return nullptr;
    }
}

std::string* addressMember(PostalAddress& address, Target target)
{
    switch (target)
    {
    case Target::Street:
        return &address.street;
    case Target::Street2:
        return &address.street2;
    case Target::City:
        return &address.city;
    case Target::Region:
        return &address.region;
    case Target::PostalCode:
        return &address.postalCode;
    case Target::Country:
        return &address.country;
    default:
        return nullptr;
    }
}

bool hasPlace(const PostalAddress& address)
{
    return !address.street.empty() || !address.street2.empty() || !address.city.empty() || !address.region.empty() ||
           !address.postalCode.empty() || !address.country.empty();
}

} // namespace

std::string_view cutText(std::string_view text, std::size_t count)
{
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && count-- == 0) return text.substr(0, i);
    return text;
}

void RecordBuilder::start(ImportedRecord& record)
{
    _record = &record;
    record.contact = {};
    record.members.clear();
    record.notes.clear();
    record.photo.reset();
    record.ownerEmail.clear();
    record.problems.clear();
    record.warnings.clear();
    record.cells.clear();
    record.skipped = false;
    _origins.fill({});
    _given.fill(false);
    _emails.clear();
    _phones.clear();
    _addresses.clear();
    _websites.clear();
    _profiles.clear();
    _externalIds.clear();
}

void RecordBuilder::addProblem(std::string_view code, std::string_view message, std::string_view field, const Origin& origin)
{
    if (_record->problems.size() == mostProblems) return;
    _record->problems.push_back({std::string(origin.column), std::string(field), std::string(code), std::string(message),
                                 std::string(cutText(origin.value, shownCharacters))});
}

void RecordBuilder::addWarning(std::string_view code, std::string_view message, std::string_view field, const Origin& origin)
{
    if (_record->warnings.size() == mostProblems) return;
    _record->warnings.push_back({std::string(origin.column), std::string(field), std::string(code), std::string(message),
                                 std::string(cutText(origin.value, shownCharacters))});
}

void RecordBuilder::give(const Binding& binding, std::string_view value, const Origin& origin)
{
    if (trim(value).empty()) return;
    const auto target = binding.path.target;
    auto& contact = _record->contact;
    if (textMember(contact, target)) return giveText(target, firstOf(value, binding.list), origin);
    switch (target)
    {
    case Target::Birthday:
        return giveBirthday(value, origin);
    case Target::Lifecycle:
        return giveLifecycle(value, origin);
    case Target::Source:
        return giveSource(value, origin);
    case Target::OwnerUserId:
    case Target::OwnerEmail:
        return giveOwner(binding, value, origin);
    case Target::DoNotEmail:
        return giveFlag(contact.doNotContact.email, binding, value, origin);
    case Target::DoNotPhone:
        return giveFlag(contact.doNotContact.phone, binding, value, origin);
    case Target::DoNotText:
        return giveFlag(contact.doNotContact.sms, binding, value, origin);
    case Target::Notes:
        return giveNote(value, origin);
    case Target::CustomMap:
        return giveCustomFields(value, origin);
    case Target::CustomValue:
    {
        auto& text = contact.customFields[binding.path.key].text;
        text.clear();
        appendJsonString(text, value);
        return;
    }
    default:
        return giveList(binding, value, origin);
    }
}

void RecordBuilder::giveText(Target target, std::string_view value, const Origin& origin)
{
    auto& member = *textMember(_record->contact, target);
    // The first column of several wins.
    if (!member.empty()) return;
    member = value;
    _origins[indexOf(target)] = origin;
}

void RecordBuilder::giveBirthday(std::string_view value, const Origin& origin)
{
    // Outlook's way to say none.
    if (trim(value) == "0/0/00" || _record->contact.birthday) return;
    auto date = parseBirthday(value, _dates);
    if (date.fault == DateFault::None)
        _record->contact.birthday = std::move(date.text);
    else if (date.fault == DateFault::Ambiguous)
        addProblem("ambiguous_date", "It is not known whether the day or the month comes first: say dateFormat", "birthday", origin);
    else
        addProblem("invalid_date", "Not a date of the form that dateFormat asks for, with a year of four digits", "birthday", origin);
}

void RecordBuilder::giveLifecycle(std::string_view value, const Origin& origin)
{
    const auto lifecycle = lifecycleOf(value);
    if (!lifecycle)
    {
        addProblem("unknown_option", "Not one of lead, prospect, customer, former, other", "lifecycle", origin);
        return;
    }
    _record->contact.lifecycle = *lifecycle;
    _given[indexOf(Target::Lifecycle)] = true;
}

void RecordBuilder::giveSource(std::string_view value, const Origin& origin)
{
    // Other programs keep a text of their own there.
    if (const auto source = parseWord<ContactSource>(trim(value)))
        _record->contact.source = *source;
    else
        giveText(Target::SourceDetail, value, origin);
}

void RecordBuilder::giveOwner(const Binding& binding, std::string_view value, const Origin& origin)
{
    value = trim(value);
    if (binding.path.target == Target::OwnerUserId)
    {
        _record->contact.ownerUserId = UserId::parse(value);
        if (!_record->contact.ownerUserId) addProblem("unknown_owner", "Not the id of a user", "ownerUserId", origin);
        return;
    }
    const auto at = value.find('@');
    if (at == std::string_view::npos)
    {
        addWarning("unknown_owner", "An owner is found by e-mail address only", "ownerUserId", origin);
        return;
    }
    // HubSpot: Ada Lovelace (ada@example.com)
    constexpr std::string_view around = " \t()<>\"";
    const auto from = value.find_last_of(around, at);
    const auto start = from == std::string_view::npos ? 0 : from + 1;
    _record->ownerEmail = value.substr(start, value.find_first_of(around, at) - start);
}

void RecordBuilder::giveFlag(bool& flag, const Binding& binding, std::string_view value, const Origin& origin)
{
    const auto found = flagOf(value);
    if (!found)
    {
        addProblem("unknown_option", "Expected true or false", binding.path.text(), origin);
        return;
    }
    flag = *found;
    _given[indexOf(binding.path.target)] = true;
}

void RecordBuilder::giveNote(std::string_view value, const Origin& origin)
{
    if (characters(value) > longestNote)
        addProblem("too_long", "At most 20000 characters", "notes[" + std::to_string(_record->notes.size()) + "]", origin);
    else
        _record->notes.emplace_back(value);
}

void RecordBuilder::giveCustomFields(std::string_view value, const Origin& origin)
{
    try
    {
        std::map<std::string, Json> fields;
        detail::readJson(value, detail::typeOf<std::map<std::string, Json>>, &fields, detail::ReadMode::Whole);
        for (auto& [key, field] : fields)
            if (field.text != "null") _record->contact.customFields.insert_or_assign(key, std::move(field));
    }
    catch (const Problem&)
    {
        addProblem("invalid_json", "Expected a JSON object", "customFields", origin);
    }
}

void RecordBuilder::giveList(const Binding& binding, std::string_view value, const Origin& origin)
{
    if (binding.path.target == Target::Tags)
    {
        auto& tags = _record->contact.tags;
        for (auto& tag : splitList(value, binding.list))
        {
            // Google's own groups are no tags.
            if (binding.foreignLabels && tag.starts_with("* ")) continue;
            if (std::find(tags.begin(), tags.end(), tag) == tags.end() && tags.size() < mostElements) tags.push_back(std::move(tag));
        }
        _origins[indexOf(Target::Tags)] = origin;
        return;
    }
    if (binding.list == ListStyle::None) return givePart(binding, value, 0, origin);
    std::size_t part = 0;
    for (const auto& item : splitList(value, binding.list)) givePart(binding, item, part++, origin);
}

template <class T>
RecordBuilder::Element<T>* RecordBuilder::element(Elements<T>& list, std::size_t index, std::size_t part)
{
    for (auto& item : list)
        if (item.index == index && item.part == part) return &item;
    // More than the rules allow is enough to break them.
    if (list.size() == mostElements) return nullptr;
    auto& added = list.emplace_back();
    added.index = index;
    added.part = part;
    // Until one is given: the default is for the end.
    if constexpr (requires { added.value.label; }) added.value.label.clear();
    return &added;
}

void RecordBuilder::giveLabel(std::string& label, bool& primary, const Binding& binding, std::string_view value)
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

void RecordBuilder::givePart(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    const auto index = binding.path.index;
    const auto target = binding.path.target;
    switch (target)
    {
    case Target::Emails:
    case Target::EmailAddress:
    case Target::EmailLabel:
    case Target::EmailPrimary:
    {
        auto* email = element(_emails, index, part);
        if (!email) return;
        if (target == Target::EmailLabel) return giveLabel(email->value.label, email->value.primary, binding, value);
        if (target == Target::EmailPrimary) return giveFlag(email->value.primary, binding, value, origin);
        email->value.address = plainEmail(value);
        if (email->value.label.empty()) email->value.label = binding.label;
        email->origin = origin;
        return;
    }
    case Target::Phones:
    case Target::PhoneNumber:
    case Target::PhoneLabel:
    case Target::PhonePrimary:
    {
        auto* phone = element(_phones, index, part);
        if (!phone) return;
        if (target == Target::PhoneLabel) return giveLabel(phone->value.label, phone->value.primary, binding, value);
        if (target == Target::PhonePrimary) return giveFlag(phone->value.primary, binding, value, origin);
        phone->value.number = plainPhone(value);
        if (phone->value.label.empty()) phone->value.label = binding.label;
        phone->origin = origin;
        return;
    }
    case Target::Websites:
    case Target::Website:
        if (auto* website = element(_websites, index, part))
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
        if (auto* id = element(_externalIds, mostElements + _externalIds.size(), part))
        {
            id->value = {binding.path.key, std::string(value)};
            id->origin = origin;
        }
        return;
    default:
        giveAddressPart(binding, value, part, origin);
    }
}

void RecordBuilder::giveAddressPart(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    auto* address = element(_addresses, binding.path.index, part);
    if (!address) return;
    if (binding.path.target == Target::AddressLabel)
    {
        bool primary = false;
        return giveLabel(address->value.label, primary, binding, value);
    }
    if (address->value.label.empty()) address->value.label = binding.label;
    if (address->origin.column.empty()) address->origin = origin;
    if (binding.wholeAddress)
        address->value.whole = value;
    else if (auto* member = addressMember(address->value, binding.path.target))
        appendPart(*member, value);
}

void RecordBuilder::closeEmails()
{
    sortElements(_emails);
    shareFirst(_emails, &ContactEmail::label);
    std::erase_if(_emails, [](const auto& item) { return item.value.address.empty(); });
    setLabels(_emails);
    keepFirstPrimary(_emails);
    for (auto& item : _emails) _record->contact.emails.push_back(std::move(item.value));
}

void RecordBuilder::closePhones()
{
    sortElements(_phones);
    shareFirst(_phones, &ContactPhone::label);
    std::erase_if(_phones, [](const auto& item) { return item.value.number.empty(); });
    setLabels(_phones);
    keepFirstPrimary(_phones);
    for (auto& item : _phones) _record->contact.phones.push_back(std::move(item.value));
}

void RecordBuilder::closeAddresses()
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
    for (const auto& item : _addresses) _record->contact.addresses.push_back(item.value);
}

void RecordBuilder::closeOthers()
{
    sortElements(_websites);
    for (auto& item : _websites) _record->contact.websites.push_back(std::move(item.value));
    sortElements(_profiles);
    std::erase_if(_profiles, [](const auto& item) { return item.value.value.empty(); });
    for (auto& item : _profiles) _record->contact.socialProfiles.push_back(std::move(item.value));
    sortElements(_externalIds);
    std::erase_if(_externalIds, [](const auto& item) { return item.value.id.empty(); });
    auto& ids = _record->contact.externalIds;
    for (auto& item : _externalIds)
        if (std::find(ids.begin(), ids.end(), item.value) == ids.end()) ids.push_back(std::move(item.value));
}

void RecordBuilder::finish()
{
    closeEmails();
    closePhones();
    closeAddresses();
    closeOthers();
    noteMembers();
    validate();
}

void RecordBuilder::noteMembers()
{
    _record->members = filledMembers(_record->contact);
    const auto given = [&](Target target) { return _given[indexOf(target)]; };
    if (given(Target::Lifecycle)) _record->members.emplace_back("lifecycle");
    if (given(Target::DoNotEmail) || given(Target::DoNotPhone) || given(Target::DoNotText)) _record->members.emplace_back("doNotContact");
}

void RecordBuilder::validate()
{
    const auto& contact = _record->contact;
    for (const auto& error : faultsOf(contact)) addProblem(error.code, error.message, error.field, originOf(error.field));
    // A row that has only values that are no good has an identity, if only they were right.
    if (_record->problems.empty() && !hasIdentity(contact))
        addProblem("missing_identity", "A contact needs a name, a company, an e-mail address or a phone number", "", {});
}

Origin RecordBuilder::originOf(std::string_view field) const
{
    const auto bracket = field.find('[');
    const auto name = field.substr(0, bracket);
    const auto path = FieldPath::parse(field);
    const auto of = [&](const auto& list) -> Origin
    {
        if (list.empty()) return {};
        if (bracket == std::string_view::npos) return list.front().origin;
        const auto index = static_cast<std::size_t>(std::atoi(std::string(field.substr(bracket + 1)).c_str()));
        return index < list.size() ? list[index].origin : Origin{};
    };
    if (name == "emails") return of(_emails);
    if (name == "phones") return of(_phones);
    if (name == "addresses") return of(_addresses);
    if (name == "websites") return of(_websites);
    if (name == "socialProfiles") return of(_profiles);
    if (name == "externalIds") return of(_externalIds);
    if (name == "tags") return _origins[indexOf(Target::Tags)];
    return path ? _origins[indexOf(path->target)] : Origin{};
}

} // namespace portico::crm
