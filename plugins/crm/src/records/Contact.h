#pragma once

#include "records/Attachment.h"
#include "records/ContactParts.h"
#include "records/HistoryEntry.h"
#include "records/Note.h"

#include <map>

namespace portico::crm
{

/// Contact with every member of the interface, for requests, changes and the column `document`.
struct Contact
{
    ContactId id;
    std::string firstName;
    std::string middleName;
    std::string lastName;
    std::string prefix;
    std::string suffix;
    std::string nickname;
    std::string displayName;
    std::vector<ContactEmail> emails;
    std::vector<ContactPhone> phones;
    std::vector<PostalAddress> addresses;
    std::string companyName;
    std::optional<std::string> companyId;
    std::string jobTitle;
    std::string department;
    std::vector<std::string> websites;
    std::vector<SocialProfile> socialProfiles;
    std::optional<std::string> birthday;
    std::vector<std::string> tags;
    std::optional<UserId> ownerUserId;
    /// Empty only in input that leaves the choice to us.
    std::optional<ContactSource> source;
    std::string sourceDetail;
    Lifecycle lifecycle = Lifecycle::Lead;
    DoNotContact doNotContact;
    std::map<std::string, Json> customFields;
    std::vector<ExternalId> externalIds;
    std::optional<AttachmentId> photoAttachmentId;
    Instant createdAt{};
    std::string createdBy;
    Instant updatedAt{};
    std::int64_t version = 1;
    std::optional<Instant> deletedAt;

    /// Not in the document, but put beside it in every answer.
    std::optional<std::vector<PipelinePlace>> pipelines;
    std::optional<ContactCounts> counts;

    /// Only in the answer to a creation.
    std::optional<std::vector<PossibleDuplicate>> possibleDuplicates;
    /// Only when they were asked for with `include`.
    std::optional<std::vector<Note>> notes;
    std::optional<std::vector<Attachment>> attachments;
    std::optional<std::vector<HistoryEntry>> history;
};

constexpr auto schemaOf(const Contact*)
{
    return describe(
        field<&Contact::id>().readOnly(), field<&Contact::firstName>().maxLength(100), field<&Contact::middleName>().maxLength(100),
        field<&Contact::lastName>().maxLength(100), field<&Contact::prefix>().maxLength(30), field<&Contact::suffix>().maxLength(30),
        field<&Contact::nickname>().maxLength(100),
        field<&Contact::displayName>().maxLength(300).description(
            "Default: derived from the name, else the company, else the first e-mail address or phone "
            "number, and updated with them"),
        field<&Contact::emails>().maxItems(10), field<&Contact::phones>().maxItems(10), field<&Contact::addresses>().maxItems(5),
        field<&Contact::companyName>().maxLength(200), field<&Contact::companyId>().readOnly(), field<&Contact::jobTitle>().maxLength(150),
        field<&Contact::department>().maxLength(150),
        field<&Contact::websites>().maxItems(5).maxLength(500).matches(isWebsite, "invalid_url",
                                                                       "an http or https URL, or a host name with or without a path"),
        field<&Contact::socialProfiles>().maxItems(10),
        field<&Contact::birthday>().matches(isBirthday, "invalid_date", "a date of the form YYYY-MM-DD or --MM-DD"),
        field<&Contact::tags>().maxItems(50).maxLength(50),
        field<&Contact::ownerUserId>().description("An active member of the organization"), field<&Contact::source>(),
        field<&Contact::sourceDetail>().maxLength(200), field<&Contact::lifecycle>().clearable(), field<&Contact::doNotContact>(),
        field<&Contact::customFields>().description("Values of the organization's custom fields by key"),
        field<&Contact::externalIds>().maxItems(10), field<&Contact::photoAttachmentId>().readOnly(),
        field<&Contact::createdAt>().readOnly(), field<&Contact::createdBy>().readOnly(), field<&Contact::updatedAt>().readOnly(),
        field<&Contact::version>().readOnly(), field<&Contact::deletedAt>().readOnly(), field<&Contact::pipelines>().readOnly().omitEmpty(),
        field<&Contact::counts>().readOnly().omitEmpty(), field<&Contact::possibleDuplicates>().readOnly().omitEmpty(),
        field<&Contact::notes>().readOnly().omitEmpty(), field<&Contact::attachments>().readOnly().omitEmpty(),
        field<&Contact::history>().readOnly().omitEmpty());
}

} // namespace portico::crm
