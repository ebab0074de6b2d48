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

constexpr auto schemaOf(const Contact*)
{
    return describe(
        field("id", &Contact::id).readOnly(), field("firstName", &Contact::firstName).maxLength(100),
        field("middleName", &Contact::middleName).maxLength(100), field("lastName", &Contact::lastName).maxLength(100),
        field("prefix", &Contact::prefix).maxLength(30), field("suffix", &Contact::suffix).maxLength(30),
        field("nickname", &Contact::nickname).maxLength(100),
        field("displayName", &Contact::displayName)
            .maxLength(300)
            .description(
                "When it is left out, built from the parts of the name, else the company, else the first e-mail or phone, and kept up "
                "to date with them"),
        field("emails", &Contact::emails).maxItems(10), field("phones", &Contact::phones).maxItems(10),
        field("addresses", &Contact::addresses).maxItems(5), field("companyName", &Contact::companyName).maxLength(200),
        field("companyId", &Contact::companyId).readOnly(), field("jobTitle", &Contact::jobTitle).maxLength(150),
        field("department", &Contact::department).maxLength(150),
        field("websites", &Contact::websites)
            .maxItems(5)
            .maxLength(500)
            .matches(isWebsite, "invalid_url", "an http or https URL, or a host name with or without a path"),
        field("socialProfiles", &Contact::socialProfiles).maxItems(10),
        field("birthday", &Contact::birthday).matches(isBirthday, "invalid_date", "a date of the form YYYY-MM-DD or --MM-DD"),
        field("tags", &Contact::tags).maxItems(50).maxLength(50),
        field("ownerUserId", &Contact::ownerUserId).description("An active member of the organization"), field("source", &Contact::source),
        field("sourceDetail", &Contact::sourceDetail).maxLength(200), field("lifecycle", &Contact::lifecycle).clearable(),
        field("doNotContact", &Contact::doNotContact),
        field("customFields", &Contact::customFields).description("Values of the organization's custom fields, by their keys"),
        field("externalIds", &Contact::externalIds).maxItems(10), field("photoAttachmentId", &Contact::photoAttachmentId).readOnly(),
        field("createdAt", &Contact::createdAt).readOnly(), field("createdBy", &Contact::createdBy).readOnly(),
        field("updatedAt", &Contact::updatedAt).readOnly(), field("version", &Contact::version).readOnly(),
        field("deletedAt", &Contact::deletedAt).readOnly(), field("pipelines", &Contact::pipelines).readOnly().omitEmpty(),
        field("counts", &Contact::counts).readOnly().omitEmpty(),
        field("possibleDuplicates", &Contact::possibleDuplicates).readOnly().omitEmpty(),
        field("notes", &Contact::notes).readOnly().omitEmpty(), field("attachments", &Contact::attachments).readOnly().omitEmpty(),
        field("history", &Contact::history).readOnly().omitEmpty());
}

} // namespace portico::crm
