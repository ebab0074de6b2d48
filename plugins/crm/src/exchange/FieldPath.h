#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Targets of a column or property: members of a contact, and further data of an import.
enum class Target : std::uint8_t
{
    FirstName, ///< from here to SourceDetail texts, in the order of `textMember`
    MiddleName,
    LastName,
    Prefix,
    Suffix,
    Nickname,
    DisplayName,
    CompanyName,
    JobTitle,
    Department,
    SourceDetail,
    Birthday,
    BirthdayYear, ///< `birthday.year`: one of three columns
    BirthdayMonth,
    BirthdayDay,
    Lifecycle,
    Source,
    OwnerUserId,
    OwnerEmail, ///< `ownerEmail`: the owner is looked up
    DoNotEmail,
    DoNotPhone,
    DoNotText,
    Tags,        ///< a list in one value
    Notes,       ///< each value becomes a note
    CustomMap,   ///< a JSON object
    CustomValue, ///< `customFields.<key>`
    Emails,      ///< a list in one value, as Phones and Websites
    Phones,
    Websites,
    EmailAddress, ///< `emails[0].address`; from here on parts of a list's element
    EmailLabel,
    EmailPrimary,
    PhoneNumber,
    PhoneCallingCode, ///< `phones[0].callingCode`: of a national number in another column
    PhoneLabel,
    PhonePrimary,
    Street, ///< from here to AddressLabel in the order of `addressMember`
    Street2,
    City,
    Region,
    PostalCode,
    Country,
    AddressLabel,
    Website,
    ProfileService,
    ProfileValue,
    ExternalSystem,
    ExternalId,
    ExternalIdOf ///< `externalIds.<system>`
};

inline constexpr std::size_t targetCount = static_cast<std::size_t>(Target::ExternalIdOf) + 1;

/// A path as `emails[0].address`, taken apart.
struct FieldPath
{
    Target target = Target::FirstName;
    std::size_t index = 0;
    /// Key of a custom field, or external system.
    std::string key = {};

    /// Returns none for a path that cannot be imported.
    static std::optional<FieldPath> parse(std::string_view text);
    std::string text() const;
    bool operator==(const FieldPath&) const = default;
};

/// Returns the contact's member that contains a target (`emails`); empty for targets beside the contact.
std::string_view memberOf(Target target);

} // namespace portico::crm
