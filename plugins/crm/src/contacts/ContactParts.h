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

struct ContactPhone
{
    std::string number;
    std::optional<std::string> e164;
    std::string label = "other";
    bool primary = false;
    bool operator==(const ContactPhone&) const = default;
};

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

struct SocialProfile
{
    std::string service;
    std::string value;
    bool operator==(const SocialProfile&) const = default;
};

struct DoNotContact
{
    bool email = false;
    bool phone = false;
    bool sms = false;
    bool operator==(const DoNotContact&) const = default;
};

/// The contact's id in another system.
struct ExternalId
{
    std::string system;
    std::string id;
    bool operator==(const ExternalId&) const = default;
};

/// Where the contact stands on one board.
struct PipelinePlace
{
    PipelineId pipelineId;
    StageId stageId;
    Instant since{};
    std::string position;
    bool operator==(const PipelinePlace&) const = default;
};

struct ContactCounts
{
    std::int64_t notes = 0;
    std::int64_t attachments = 0;
    bool operator==(const ContactCounts&) const = default;
};

/// Another contact that may be the same person.
struct PossibleDuplicate
{
    ContactId id;
    std::string displayName;
    /// `email`, `phone`, `external_id`, `name_and_company`, `similar_name`.
    std::vector<std::string> matchedOn;
    bool operator==(const PossibleDuplicate&) const = default;
};

enum class Lifecycle
{
    Lead,
    Prospect,
    Customer,
    Former,
    Other
};

enum class ContactSource
{
    Manual,
    Import,
    Api,
    Booking,
    Form,
    Social
};

/// Rules for single members, for the Schema.
bool isBirthday(std::string_view text);
bool isWebsite(std::string_view text);

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::Lifecycle>
{
    using Lifecycle = portico::crm::Lifecycle;
    static constexpr auto choices = portico::choices<Lifecycle>({{"lead", Lifecycle::Lead},
                                                                 {"prospect", Lifecycle::Prospect},
                                                                 {"customer", Lifecycle::Customer},
                                                                 {"former", Lifecycle::Former},
                                                                 {"other", Lifecycle::Other}});
};

template <>
struct portico::Schema<portico::crm::ContactSource>
{
    using ContactSource = portico::crm::ContactSource;
    static constexpr auto choices = portico::choices<ContactSource>({{"manual", ContactSource::Manual},
                                                                     {"import", ContactSource::Import},
                                                                     {"api", ContactSource::Api},
                                                                     {"booking", ContactSource::Booking},
                                                                     {"form", ContactSource::Form},
                                                                     {"social", ContactSource::Social}});
};

template <>
struct portico::Schema<portico::crm::ContactEmail>
{
    using T = portico::crm::ContactEmail;
    static constexpr auto fields = describe(field("address", &T::address).required().email().maxLength(254),
                                            field("label", &T::label).maxLength(40).description("work, home, other or a text of one's own"),
                                            field("primary", &T::primary));
};

template <>
struct portico::Schema<portico::crm::ContactPhone>
{
    using T = portico::crm::ContactPhone;
    static constexpr auto fields = describe(field("number", &T::number).required().maxLength(40).description("As typed"),
                                            field("e164", &T::e164).readOnly().description("Made from the number where that is possible"),
                                            field("label", &T::label).maxLength(40).description("work, home, other or a text of one's own"),
                                            field("primary", &T::primary));
};

template <>
struct portico::Schema<portico::crm::PostalAddress>
{
    using T = portico::crm::PostalAddress;
    static constexpr auto fields = describe(
        field("street", &T::street).maxLength(200), field("street2", &T::street2).maxLength(200), field("city", &T::city).maxLength(200),
        field("region", &T::region).maxLength(200), field("postalCode", &T::postalCode).maxLength(200),
        field("country", &T::country).maxLength(80).description("ISO 3166-1 alpha-2, or a name"), field("label", &T::label).maxLength(40));
};

template <>
struct portico::Schema<portico::crm::SocialProfile>
{
    using T = portico::crm::SocialProfile;
    static constexpr auto fields =
        describe(field("service", &T::service).required().maxLength(40), field("value", &T::value).required().maxLength(500));
};

template <>
struct portico::Schema<portico::crm::DoNotContact>
{
    using T = portico::crm::DoNotContact;
    static constexpr auto fields = describe(field("email", &T::email), field("phone", &T::phone), field("sms", &T::sms));
};

template <>
struct portico::Schema<portico::crm::ExternalId>
{
    using T = portico::crm::ExternalId;
    static constexpr auto fields =
        describe(field("system", &T::system).required().maxLength(80), field("id", &T::id).required().maxLength(200));
};

template <>
struct portico::Schema<portico::crm::PipelinePlace>
{
    using T = portico::crm::PipelinePlace;
    static constexpr auto fields = describe(field("pipelineId", &T::pipelineId), field("stageId", &T::stageId), field("since", &T::since),
                                            field("position", &T::position));
};

template <>
struct portico::Schema<portico::crm::ContactCounts>
{
    using T = portico::crm::ContactCounts;
    static constexpr auto fields = describe(field("notes", &T::notes), field("attachments", &T::attachments));
};

template <>
struct portico::Schema<portico::crm::PossibleDuplicate>
{
    using T = portico::crm::PossibleDuplicate;
    static constexpr auto fields = describe(field("id", &T::id), field("displayName", &T::displayName), field("matchedOn", &T::matchedOn));
};
