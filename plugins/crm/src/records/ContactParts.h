#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

struct ContactEmail
{
    std::string address;
    std::string label = "other";
    bool primary = false;
    bool operator==(const ContactEmail&) const = default;
};

constexpr auto schemaOf(const ContactEmail*)
{
    return describe(field<&ContactEmail::address>().required().email().maxLength(254),
                    field<&ContactEmail::label>().maxLength(40).description("work, home, other or a custom text"),
                    field<&ContactEmail::primary>());
}

struct ContactPhone
{
    std::string number;
    std::optional<std::string> e164;
    std::string label = "other";
    bool primary = false;
    bool operator==(const ContactPhone&) const = default;
};

constexpr auto schemaOf(const ContactPhone*)
{
    return describe(field<&ContactPhone::number>().required().maxLength(40).description("Number as entered"),
                    field<&ContactPhone::e164>().readOnly().description("E.164 form of the number; null if there is none"),
                    field<&ContactPhone::label>().maxLength(40).description("work, home, other or a custom text"),
                    field<&ContactPhone::primary>());
}

struct PostalAddress
{
    std::string street;
    std::string street2;
    std::string city;
    std::string region;
    std::string postalCode;
    std::string country;
    std::string label = "other";
    bool operator==(const PostalAddress&) const = default;
};

constexpr auto schemaOf(const PostalAddress*)
{
    return describe(field<&PostalAddress::street>().maxLength(200), field<&PostalAddress::street2>().maxLength(200),
                    field<&PostalAddress::city>().maxLength(200), field<&PostalAddress::region>().maxLength(200),
                    field<&PostalAddress::postalCode>().maxLength(200),
                    field<&PostalAddress::country>().maxLength(80).description("ISO 3166-1 alpha-2, or a name"),
                    field<&PostalAddress::label>().maxLength(40));
}

struct SocialProfile
{
    std::string service;
    std::string value;
    bool operator==(const SocialProfile&) const = default;
};

constexpr auto schemaOf(const SocialProfile*)
{
    return describe(field<&SocialProfile::service>().required().maxLength(40), field<&SocialProfile::value>().required().maxLength(500));
}

struct DoNotContact
{
    bool email = false;
    bool phone = false;
    bool sms = false;
    bool operator==(const DoNotContact&) const = default;
};

constexpr auto schemaOf(const DoNotContact*) { return describe(members<&DoNotContact::email, &DoNotContact::phone, &DoNotContact::sms>()); }

/// The contact's id in another system.
struct ExternalId
{
    std::string system;
    std::string id;
    bool operator==(const ExternalId&) const = default;
};

constexpr auto schemaOf(const ExternalId*)
{
    return describe(field<&ExternalId::system>().required().maxLength(80), field<&ExternalId::id>().required().maxLength(200));
}

/// The stage of a contact on one board.
struct PipelinePlace
{
    PipelineId pipelineId;
    StageId stageId;
    Instant since{};
    std::string position;
    bool operator==(const PipelinePlace&) const = default;
};

constexpr auto schemaOf(const PipelinePlace*)
{
    return describe(members<&PipelinePlace::pipelineId, &PipelinePlace::stageId, &PipelinePlace::since, &PipelinePlace::position>());
}

struct ContactCounts
{
    std::int64_t notes = 0;
    std::int64_t attachments = 0;
    bool operator==(const ContactCounts&) const = default;
};

constexpr auto schemaOf(const ContactCounts*) { return describe(members<&ContactCounts::notes, &ContactCounts::attachments>()); }

/// Another contact that may be the same person.
struct PossibleDuplicate
{
    ContactId id;
    std::string displayName;
    /// `email`, `phone`, `external_id`, `name_and_company`, `similar_name`.
    std::vector<std::string> matchedOn;
    bool operator==(const PossibleDuplicate&) const = default;
};

constexpr auto schemaOf(const PossibleDuplicate*)
{
    return describe(members<&PossibleDuplicate::id, &PossibleDuplicate::displayName, &PossibleDuplicate::matchedOn>());
}

enum class Lifecycle
{
    Lead,
    Prospect,
    Customer,
    Former,
    Other
};

constexpr auto schemaOf(const Lifecycle*)
{
    using enum Lifecycle;
    return portico::choices<Lifecycle>(
        {{"lead", Lead}, {"prospect", Prospect}, {"customer", Customer}, {"former", Former}, {"other", Other}});
}

enum class ContactSource
{
    Manual,
    Import,
    Api,
    Booking,
    Form,
    Social
};

constexpr auto schemaOf(const ContactSource*)
{
    using enum ContactSource;
    return portico::choices<ContactSource>(
        {{"manual", Manual}, {"import", Import}, {"api", Api}, {"booking", Booking}, {"form", Form}, {"social", Social}});
}

/// Rules for single members, for the Schema.
bool isBirthday(std::string_view text);
bool isWebsite(std::string_view text);

} // namespace portico::crm
