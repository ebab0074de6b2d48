#pragma once

#include "contacts/Contact.h"

namespace portico::crm
{

/// A contact as it is read: what the row holds goes into the answer as it is, without being parsed. Written, it looks exactly like a
/// Contact.
struct ContactView
{
    std::string id;
    std::string firstName;
    std::string middleName;
    std::string lastName;
    std::string prefix;
    std::string suffix;
    std::string nickname;
    std::string displayName;
    Json emails;
    Json phones;
    Json addresses;
    std::string companyName;
    std::optional<std::string> companyId;
    std::string jobTitle;
    std::string department;
    Json websites;
    Json socialProfiles;
    std::optional<std::string> birthday;
    Json tags;
    std::optional<std::string> ownerUserId;
    std::string source;
    std::string sourceDetail;
    std::string lifecycle;
    Json doNotContact;
    Json customFields;
    Json externalIds;
    std::vector<PipelinePlace> pipelines;
    ContactCounts counts;
    std::optional<std::string> photoAttachmentId;
    Instant createdAt{};
    std::string createdBy;
    Instant updatedAt{};
    std::int64_t version = 1;
    std::optional<Instant> deletedAt;

    std::optional<std::vector<Note>> notes;
    std::optional<std::vector<Json>> attachments;
    std::optional<std::vector<Json>> history;

    std::int64_t noteCount = 0;
    std::int64_t attachmentCount = 0;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ContactView>
{
    using T = portico::crm::ContactView;
    using DocumentedAs = portico::crm::Contact;
    static constexpr auto fields = describe(
        field("id", &T::id), field("firstName", &T::firstName), field("middleName", &T::middleName), field("lastName", &T::lastName),
        field("prefix", &T::prefix), field("suffix", &T::suffix), field("nickname", &T::nickname), field("displayName", &T::displayName),
        field("emails", &T::emails), field("phones", &T::phones), field("addresses", &T::addresses), field("companyName", &T::companyName),
        field("companyId", &T::companyId), field("jobTitle", &T::jobTitle), field("department", &T::department),
        field("websites", &T::websites), field("socialProfiles", &T::socialProfiles), field("birthday", &T::birthday),
        field("tags", &T::tags), field("ownerUserId", &T::ownerUserId), field("source", &T::source),
        field("sourceDetail", &T::sourceDetail), field("lifecycle", &T::lifecycle), field("doNotContact", &T::doNotContact),
        field("customFields", &T::customFields), field("externalIds", &T::externalIds), field("pipelines", &T::pipelines).unstored(),
        field("counts", &T::counts).unstored(), field("photoAttachmentId", &T::photoAttachmentId), field("createdAt", &T::createdAt),
        field("createdBy", &T::createdBy), field("updatedAt", &T::updatedAt), field("version", &T::version),
        field("deletedAt", &T::deletedAt), field("notes", &T::notes).unstored().omitEmpty(),
        field("attachments", &T::attachments).unstored().omitEmpty(), field("history", &T::history).unstored().omitEmpty(),
        field("noteCount", &T::noteCount).hidden(), field("attachmentCount", &T::attachmentCount).hidden());
};
