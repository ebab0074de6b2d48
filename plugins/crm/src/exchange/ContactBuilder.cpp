#include "exchange/ContactBuilder.h"

#include "contacts/ContactRules.h"
#include "exchange/Dates.h"
#include "exchange/FieldValue.h"
#include "exchange/PlainValues.h"
#include "exchange/SeveralValues.h"
#include "text/PhoneNumber.h"
#include "text/VisibleText.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// More tags than a contact can have are not kept.
constexpr std::size_t maxTags = 100;
constexpr std::size_t maxProblems = 20;
constexpr std::size_t shownCharacters = 100;
constexpr std::size_t longestNote = 20000;

std::size_t indexOf(Target target) { return static_cast<std::size_t>(target); }

/// Ours, and HubSpot's.
std::optional<Lifecycle> lifecycleOf(std::string_view text)
{
    auto word = fold(trim(text));
    std::erase_if(word, [](char letter) { return letter == ' ' || letter == '_'; });
    if (word == "subscriber" || word == "marketingqualifiedlead" || word == "salesqualifiedlead") return Lifecycle::Lead;
    if (word == "opportunity") return Lifecycle::Prospect;
    if (word == "evangelist") return Lifecycle::Customer;
    return parseEnum<Lifecycle>(word);
}

/// Returns the first of several values in a cell.
std::string firstOf(std::string_view value, ListStyle style)
{
    if (style == ListStyle::None) return std::string(value);
    auto values = splitList(value, style);
    return values.empty() ? std::string{} : std::move(values.front());
}

/// Addresses, numbers and links, in which a joiner has no meaning.
bool isAddressText(Target target)
{
    return target == Target::Emails || target == Target::EmailAddress || target == Target::Phones || target == Target::PhoneNumber ||
           target == Target::PhoneCallingCode || target == Target::Websites || target == Target::Website || target == Target::ProfileValue;
}

} // namespace

void ContactBuilder::start(ParsedRow& record)
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
    _birthday = {};
    _lists.clear();
}

void ContactBuilder::addProblem(std::string_view code, std::string_view message, std::string_view field, const Origin& origin)
{
    if (_record->problems.size() == maxProblems) return;
    _record->problems.push_back({std::string(origin.column), std::string(field), std::string(code), std::string(message),
                                 std::string(firstCharacters(origin.value, shownCharacters))});
}

void ContactBuilder::addWarning(std::string_view code, std::string_view message, std::string_view field, const Origin& origin)
{
    if (_record->warnings.size() == maxProblems) return;
    _record->warnings.push_back({std::string(origin.column), std::string(field), std::string(code), std::string(message),
                                 std::string(firstCharacters(origin.value, shownCharacters))});
}

void ContactBuilder::give(const Binding& binding, std::string_view value, const Origin& origin)
{
    if (trim(value).empty()) return;
    const auto target = binding.path.target;
    // Bodies of notes may have anything, and values of custom fields and of other systems are not ours to change.
    if (target == Target::Notes || target >= Target::ExternalSystem || target == Target::CustomMap || target == Target::CustomValue)
        return giveVisible(binding, value, origin);
    const auto visible = isAddressText(target) ? visibleCharacters(value) : visibleText(value);
    if (visible != value) addWarning("invisible_characters", "Characters that cannot be seen were removed", binding.path.text(), origin);
    giveVisible(binding, visible, origin);
}

void ContactBuilder::giveVisible(const Binding& binding, std::string_view value, const Origin& origin)
{
    if (trim(value).empty()) return;
    const auto target = binding.path.target;
    auto& contact = _record->contact;
    if (textMember(target)) return giveText(target, firstOf(value, binding.list), origin);
    switch (target)
    {
    case Target::Birthday:
        return giveBirthday(value, origin);
    case Target::BirthdayYear:
    case Target::BirthdayMonth:
    case Target::BirthdayDay:
        return giveBirthdayPart(target, value, origin);
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

void ContactBuilder::giveText(Target target, std::string_view value, const Origin& origin)
{
    auto& member = _record->contact.*textMember(target);
    // The first column of several wins.
    if (!member.empty()) return;
    member = value;
    _origins[indexOf(target)] = origin;
}

void ContactBuilder::giveBirthday(std::string_view value, const Origin& origin)
{
    if (isNoBirthday(value) || _record->contact.birthday) return;
    auto date = parseBirthday(value, _dates);
    if (date.fault == DateFault::None)
        _record->contact.birthday = std::move(date.text);
    else if (date.fault == DateFault::Ambiguous)
        addProblem("ambiguous_date", "It is not known whether the day or the month comes first: say dateFormat", "birthday", origin);
    else
        addProblem("invalid_date", "Not a date of the form that dateFormat asks for, with a year of four digits", "birthday", origin);
}

void ContactBuilder::giveBirthdayPart(Target target, std::string_view value, const Origin& origin)
{
    auto& part = target == Target::BirthdayYear ? _birthday.year : target == Target::BirthdayMonth ? _birthday.month : _birthday.day;
    part = trim(value);
    // Columns without a value are written as zero, too.
    if (part.find_first_not_of("0.") == std::string::npos) return part.clear();
    _origins[indexOf(Target::Birthday)] = origin;
}

void ContactBuilder::closeBirthday()
{
    if (_birthday.isEmpty() || _record->contact.birthday) return;
    const auto& origin = _origins[indexOf(Target::Birthday)];
    if (_birthday.month.empty() || _birthday.day.empty())
        return addWarning("invalid_date", "A birthday without its day or month is left out", "birthday", origin);
    auto date = dateOf(_birthday);
    if (date.fault == DateFault::None)
        _record->contact.birthday = std::move(date.text);
    else
        addProblem("invalid_date", "Year, month and day are not a valid date", "birthday", origin);
}

void ContactBuilder::giveLifecycle(std::string_view value, const Origin& origin)
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

void ContactBuilder::giveSource(std::string_view value, const Origin& origin)
{
    // Other programs store a free text there.
    if (const auto source = parseEnum<ContactSource>(trim(value)))
        _record->contact.source = *source;
    else
        giveText(Target::SourceDetail, value, origin);
}

void ContactBuilder::giveOwner(const Binding& binding, std::string_view value, const Origin& origin)
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

void ContactBuilder::giveFlag(bool& flag, const Binding& binding, std::string_view value, const Origin& origin)
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

void ContactBuilder::giveNote(std::string_view value, const Origin& origin)
{
    if (characterCount(value) > longestNote)
        addProblem("too_long", "At most 20000 characters", "notes[" + std::to_string(_record->notes.size()) + "]", origin);
    else
        _record->notes.emplace_back(value);
}

void ContactBuilder::giveCustomFields(std::string_view value, const Origin& origin)
{
    try
    {
        for (auto& [key, field] : fromJson<std::map<std::string, Json>>(value))
            if (field.text != "null") _record->contact.customFields.insert_or_assign(key, field);
    }
    catch (const Problem&)
    {
        addProblem("invalid_json", "Expected a JSON object", "customFields", origin);
    }
}

void ContactBuilder::giveList(const Binding& binding, std::string_view value, const Origin& origin)
{
    if (binding.path.target == Target::Tags)
    {
        auto& tags = _record->contact.tags;
        for (auto& tag : splitList(value, binding.list))
        {
            // Google's own groups are no tags.
            if (binding.foreignLabels && tag.starts_with("* ")) continue;
            if (std::find(tags.begin(), tags.end(), tag) == tags.end() && tags.size() < maxTags) tags.push_back(std::move(tag));
        }
        _origins[indexOf(Target::Tags)] = origin;
        return;
    }
    if (binding.list == ListStyle::None) return givePart(binding, value, 0, origin);
    std::size_t part = 0;
    const auto items = binding.list == ListStyle::Several ? severalValues(binding.path.target, value) : splitList(value, binding.list);
    for (const auto& item : items) givePart(binding, item, part++, origin);
}

void ContactBuilder::givePart(const Binding& binding, std::string_view value, std::size_t part, const Origin& origin)
{
    const auto target = binding.path.target;
    const auto plain = target == Target::PhoneNumber || target == Target::Phones ? plainNumber(plainPhone(value)) : std::nullopt;
    if (plain)
    {
        addWarning("repaired_number", "The fraction that a spreadsheet added was removed", binding.path.text(), origin);
        value = *plain;
    }
    if (!_lists.give(binding, value, part, origin)) addProblem("unknown_option", "Expected true or false", binding.path.text(), origin);
}

void ContactBuilder::finish()
{
    closeBirthday();
    _lists.close(_record->contact);
    noteMembers();
    validate();
}

void ContactBuilder::noteMembers()
{
    _record->members = filledMembers(_record->contact);
    const auto given = [&](Target target) { return _given[indexOf(target)]; };
    if (given(Target::Lifecycle)) _record->members.emplace_back("lifecycle");
    for (const auto flag : {Target::DoNotEmail, Target::DoNotPhone, Target::DoNotText})
        if (given(flag)) _record->members.push_back(FieldPath{flag, 0, {}}.text());
}

void ContactBuilder::validate()
{
    const auto& contact = _record->contact;
    for (const auto& error : faultsOf(contact)) addProblem(error.code, error.message, error.field, originOf(error.field));
    // A row that has only values that are no good has an identity, if only they were right.
    if (_record->problems.empty() && !hasIdentity(contact))
        addProblem("missing_identity", "A contact needs a name, a company, an e-mail address or a phone number", "", {});
}

Origin ContactBuilder::originOf(std::string_view field) const
{
    const auto name = field.substr(0, field.find('['));
    const auto path = FieldPath::parse(name);
    return path && path->target < Target::Emails ? _origins[indexOf(path->target)] : _lists.originOf(field);
}

} // namespace portico::crm
