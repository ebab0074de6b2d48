#include "exchange/FieldPath.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace portico::crm
{

namespace
{

/// How the path of a target is written: `list[n].part`, `list[n]`, `object.part`, or one name.
struct Spelling
{
    Target target;
    std::string_view before;
    bool indexed = false;
    std::string_view after = {};
    std::string_view member = {};
};

constexpr auto spellings = std::to_array<Spelling>({
    {Target::FirstName, "firstName"},
    {Target::MiddleName, "middleName"},
    {Target::LastName, "lastName"},
    {Target::Prefix, "prefix"},
    {Target::Suffix, "suffix"},
    {Target::Nickname, "nickname"},
    {Target::DisplayName, "displayName"},
    {Target::CompanyName, "companyName"},
    {Target::JobTitle, "jobTitle"},
    {Target::Department, "department"},
    {Target::SourceDetail, "sourceDetail"},
    {Target::Birthday, "birthday"},
    {Target::BirthdayYear, "birthday.year", false, {}, "birthday"},
    {Target::BirthdayMonth, "birthday.month", false, {}, "birthday"},
    {Target::BirthdayDay, "birthday.day", false, {}, "birthday"},
    {Target::Lifecycle, "lifecycle"},
    {Target::Source, "source"},
    {Target::OwnerUserId, "ownerUserId"},
    {Target::OwnerEmail, "ownerEmail"},
    {Target::DoNotEmail, "doNotContact.email", false, {}, "doNotContact"},
    {Target::DoNotPhone, "doNotContact.phone", false, {}, "doNotContact"},
    {Target::DoNotText, "doNotContact.sms", false, {}, "doNotContact"},
    {Target::Tags, "tags"},
    {Target::Notes, "notes"},
    {Target::CustomMap, "customFields"},
    {Target::Emails, "emails"},
    {Target::Phones, "phones"},
    {Target::Websites, "websites"},
    {Target::EmailAddress, "emails", true, ".address"},
    {Target::EmailLabel, "emails", true, ".label"},
    {Target::EmailPrimary, "emails", true, ".primary"},
    {Target::PhoneNumber, "phones", true, ".number"},
    {Target::PhoneCallingCode, "phones", true, ".callingCode"},
    {Target::PhoneLabel, "phones", true, ".label"},
    {Target::PhonePrimary, "phones", true, ".primary"},
    {Target::Street, "addresses", true, ".street"},
    {Target::Street2, "addresses", true, ".street2"},
    {Target::City, "addresses", true, ".city"},
    {Target::Region, "addresses", true, ".region"},
    {Target::PostalCode, "addresses", true, ".postalCode"},
    {Target::Country, "addresses", true, ".country"},
    {Target::AddressLabel, "addresses", true, ".label"},
    {Target::Website, "websites", true},
    {Target::ProfileService, "socialProfiles", true, ".service"},
    {Target::ProfileValue, "socialProfiles", true, ".value"},
    {Target::ExternalSystem, "externalIds", true, ".system"},
    {Target::ExternalId, "externalIds", true, ".id"},
});

constexpr std::string_view customFieldPrefix = "customFields.", externalIdPrefix = "externalIds.";

const Spelling* spellingOf(Target target)
{
    const auto found = std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& s) { return s.target == target; });
    return found == spellings.end() ? nullptr : &*found;
}

/// The number of `[12]…`, which is taken off the text. More than two digits are no place that a contact has.
std::optional<std::size_t> takeIndex(std::string_view& text)
{
    const auto end = text.find(']');
    if (!text.starts_with('[') || end == std::string_view::npos || end < 2 || end > 3) return std::nullopt;
    std::size_t index = 0;
    const auto digits = text.substr(1, end - 1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) return std::nullopt;
    if (digits.size() == 2 && digits.front() == '0') return std::nullopt;
    text.remove_prefix(end + 1);
    return index;
}

bool isKey(std::string_view key)
{
    constexpr std::size_t longest = 40;
    return !key.empty() && key.size() <= longest && key[0] >= 'a' && key[0] <= 'z' &&
           std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::optional<FieldPath> keyed(std::string_view text)
{
    constexpr std::size_t longestSystem = 80;
    if (text.starts_with(customFieldPrefix))
    {
        const auto key = text.substr(customFieldPrefix.size());
        if (isKey(key)) return FieldPath{Target::CustomValue, 0, std::string(key)};
    }
    else if (text.starts_with(externalIdPrefix))
    {
        const auto system = text.substr(externalIdPrefix.size());
        if (!system.empty() && system.size() <= longestSystem) return FieldPath{Target::ExternalIdOf, 0, std::string(system)};
    }
    return std::nullopt;
}

} // namespace

std::optional<FieldPath> FieldPath::parse(std::string_view text)
{
    const auto bracket = text.find('[');
    const auto name = text.substr(0, bracket);
    std::size_t index = 0;
    auto rest = text.substr(name.size());
    if (!rest.empty())
    {
        const auto number = takeIndex(rest);
        if (!number) return keyed(text);
        index = *number;
    }
    const bool indexed = bracket != std::string_view::npos;
    for (const auto& spelling : spellings)
        if (spelling.before == name && spelling.indexed == indexed && spelling.after == rest) return FieldPath{spelling.target, index, {}};
    return keyed(text);
}

std::string FieldPath::text() const
{
    if (target == Target::CustomValue) return std::string(customFieldPrefix) + key;
    if (target == Target::ExternalIdOf) return std::string(externalIdPrefix) + key;
    const auto* spelling = spellingOf(target);
    std::string text(spelling->before);
    if (spelling->indexed) text += '[' + std::to_string(index) + ']';
    return text += spelling->after;
}

std::string_view memberOf(Target target)
{
    if (target == Target::CustomValue) return "customFields";
    if (target == Target::ExternalIdOf) return "externalIds";
    if (target == Target::OwnerEmail || target == Target::Notes) return {};
    const auto* spelling = spellingOf(target);
    return spelling->member.empty() ? spelling->before : spelling->member;
}

} // namespace portico::crm
