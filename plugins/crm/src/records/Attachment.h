#pragma once

#include "Ids.h"

#include "portico/Request.h"
#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// A file of a contact; its bytes are a blob. It never changes, apart from the contact that it belongs to when contacts are merged.
struct Attachment
{
    AttachmentId id;
    ContactId contactId;
    std::string fileName;
    /// Detected media type.
    std::string contentType;
    /// Media type that the client has declared.
    std::optional<std::string> declaredType;
    std::int64_t size = 0;
    /// Lower-case hexadecimal.
    std::string sha256;
    std::string description;
    Instant createdAt{};
    std::string createdBy;
    Instant updatedAt{};
    std::int64_t version = 1;
    /// Path on the service's origin.
    std::string downloadUrl;
    /// Key of the blob.
    std::string blobKey;
    bool operator==(const Attachment&) const = default;
};

constexpr auto schemaOf(const Attachment*)
{
    return describe(
        members<&Attachment::id, &Attachment::contactId>(), field<&Attachment::fileName>().maxLength(255),
        field<&Attachment::contentType>().description("Media type detected from the bytes"),
        field<&Attachment::declaredType>().description("Content-Type of the upload"), field<&Attachment::size>().description("Bytes"),
        field<&Attachment::sha256>().description("Hexadecimal; also the entity tag of the download"),
        field<&Attachment::description>().maxLength(500),
        members<&Attachment::createdAt, &Attachment::createdBy, &Attachment::updatedAt, &Attachment::version>(),
        field<&Attachment::downloadUrl>().transient().description("Path on this origin"), field<&Attachment::blobKey>().columnOnly());
}

/// A received file with its metadata. The content is valid during the request.
struct IncomingFile
{
    /// Cleaned, 1 to 255 characters.
    std::string fileName;
    std::optional<std::string> declaredType;
    std::string description;
    const ReceivedFile* content = nullptr;
};

/// Attachments of contacts that are not deleted.
inline constexpr Table attachmentTable{"attachment",
                                       {.where = "EXISTS (SELECT 1 FROM contact c WHERE c.organization_id = attachment.organization_id AND "
                                                 "c.id = attachment.contact_id AND c.deleted_at IS NULL)"},
                                       &Attachment::id};

/// The same rows, where the contact has been looked at already.
inline constexpr Table attachmentRows{"attachment", &Attachment::id};

/// `downloadUrl`.
std::string downloadUrlOf(const AttachmentId& id);

/// The contact's attachments, the newest first. The caller has made sure that the contact exists.
Page<Attachment> listAttachments(Session& session, Tenant tenant, const ContactId& contactId, const Paging& paging);
/// Returns the number of a contact's attachments; empty if it does not exist.
std::optional<std::int64_t> attachmentCount(Session& session, Tenant tenant, const ContactId& contactId);
/// Does the same, and locks the number until the transaction ends.
std::optional<std::int64_t> lockAttachmentCount(Transaction& transaction, Tenant tenant, const ContactId& contactId);

/// Inserts an attachment, and updates the contact's count.
void insertAttachment(Transaction& transaction, Tenant tenant, const Attachment& attachment);
/// Deletes an attachment. The caller deletes its blob.
void eraseAttachment(Transaction& transaction, Tenant tenant, const Attachment& attachment);
/// Moves all attachments of a contact to another for a merge, ignoring the limit per contact. Returns their ids for `moveAttachments`.
std::vector<AttachmentId> reassignAttachments(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to,
                                              Instant now);
/// Moves attachments of one contact to another, unless the first one no longer has them.
void moveAttachments(Transaction& transaction, Tenant tenant, const std::vector<AttachmentId>& ids, const ContactId& from,
                     const ContactId& to, Instant now);

} // namespace portico::crm
