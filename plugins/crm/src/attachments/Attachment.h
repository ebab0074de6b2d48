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

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::Attachment>
{
    using T = portico::crm::Attachment;
    static constexpr auto fields = describe(
        field("id", &T::id), field("contactId", &T::contactId), field("fileName", &T::fileName).maxLength(255),
        field("contentType", &T::contentType).description("Found by looking at the bytes"),
        field("declaredType", &T::declaredType).description("Content-Type as the sender gave it"),
        field("size", &T::size).description("Bytes"), field("sha256", &T::sha256).description("Hexadecimal; the entity tag of a download"),
        field("description", &T::description).maxLength(500), field("createdAt", &T::createdAt), field("createdBy", &T::createdBy),
        field("updatedAt", &T::updatedAt), field("version", &T::version),
        field("downloadUrl", &T::downloadUrl).unstored().description("Path on this origin"), field("blobKey", &T::blobKey).hidden());
};
