#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::crm
{

/// A file of a contact; its bytes are a blob. It never changes, apart from the contact that it belongs to when contacts are merged.
struct Attachment
{
    AttachmentId id;
    ContactId contactId;
    std::string fileName;
    /// What the bytes are.
    std::string contentType;
    /// What the sender said that they are.
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
        field("id", &Attachment::id), field("contactId", &Attachment::contactId), field("fileName", &Attachment::fileName).maxLength(255),
        field("contentType", &Attachment::contentType).description("Found by looking at the bytes"),
        field("declaredType", &Attachment::declaredType).description("Content-Type as the sender gave it"),
        field("size", &Attachment::size).description("Bytes"),
        field("sha256", &Attachment::sha256).description("Hexadecimal; the entity tag of a download"),
        field("description", &Attachment::description).maxLength(500), field("createdAt", &Attachment::createdAt),
        field("createdBy", &Attachment::createdBy), field("updatedAt", &Attachment::updatedAt), field("version", &Attachment::version),
        field("downloadUrl", &Attachment::downloadUrl).transient().description("Path on this origin"),
        field("blobKey", &Attachment::blobKey).columnOnly());
}

} // namespace portico::crm
