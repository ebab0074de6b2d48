#pragma once

#include "attachments/Attachment.h"
#include "contacts/ContactParts.h"
#include "notes/Note.h"
#include "pipelines/HistoryEntry.h"

#include <map>

namespace portico::crm
{

/// A contact with every member of the interface: as clients write it, as it is changed, and as it is stored in the column `document`.
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

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::Contact>
{
    using T = portico::crm::Contact;
    static constexpr auto fields = describe(
        field("id", &T::id).readOnly(), field("firstName", &T::firstName).maxLength(100),
        field("middleName", &T::middleName).maxLength(100), field("lastName", &T::lastName).maxLength(100),
        field("prefix", &T::prefix).maxLength(30), field("suffix", &T::suffix).maxLength(30),
        field("nickname", &T::nickname).maxLength(100),
        field("displayName", &T::displayName)
            .maxLength(300)
            .description(
                "When it is left out, built from the parts of the name, else the company, else the first e-mail or phone, and kept up "
                "to date with them"),
        field("emails", &T::emails).maxItems(10), field("phones", &T::phones).maxItems(10), field("addresses", &T::addresses).maxItems(5),
        field("companyName", &T::companyName).maxLength(200), field("companyId", &T::companyId).readOnly(),
        field("jobTitle", &T::jobTitle).maxLength(150), field("department", &T::department).maxLength(150),
        field("websites", &T::websites)
            .maxItems(5)
            .maxLength(500)
            .matches(portico::crm::isWebsite, "invalid_url", "an http or https URL, or a host name with or without a path"),
        field("socialProfiles", &T::socialProfiles).maxItems(10),
        field("birthday", &T::birthday).matches(portico::crm::isBirthday, "invalid_date", "a date of the form YYYY-MM-DD or --MM-DD"),
        field("tags", &T::tags).maxItems(50).maxLength(50),
        field("ownerUserId", &T::ownerUserId).description("An active member of the organization"), field("source", &T::source),
        field("sourceDetail", &T::sourceDetail).maxLength(200), field("lifecycle", &T::lifecycle), field("doNotContact", &T::doNotContact),
        field("customFields", &T::customFields).description("Values of the organization's custom fields, by their keys"),
        field("externalIds", &T::externalIds).maxItems(10), field("photoAttachmentId", &T::photoAttachmentId).readOnly(),
        field("createdAt", &T::createdAt).readOnly(), field("createdBy", &T::createdBy).readOnly(),
        field("updatedAt", &T::updatedAt).readOnly(), field("version", &T::version).readOnly(),
        field("deletedAt", &T::deletedAt).readOnly(), field("pipelines", &T::pipelines).readOnly().omitEmpty(),
        field("counts", &T::counts).readOnly().omitEmpty(), field("possibleDuplicates", &T::possibleDuplicates).readOnly().omitEmpty(),
        field("notes", &T::notes).readOnly().omitEmpty(), field("attachments", &T::attachments).readOnly().omitEmpty(),
        field("history", &T::history).readOnly().omitEmpty());
};
