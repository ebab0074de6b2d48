#pragma once

#include "attachments/Attachment.h"

#include "portico/Request.h"
#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::crm
{

/// A file that has been received, with what its sender says about it. The content lives as long as the request.
struct IncomingFile
{
    /// Cleaned, 1 to 255 characters.
    std::string fileName;
    std::optional<std::string> declaredType;
    std::string description;
    const ReceivedFile* content = nullptr;
};

/// Answer of a deletion.
struct DeletedAttachment
{
    AttachmentId id;
    bool deleted = true;
};

constexpr auto schemaOf(const DeletedAttachment*)
{
    return describe(field("id", &DeletedAttachment::id), field("deleted", &DeletedAttachment::deleted));
}

/// Data of `crm.attachment.created`.
struct AttachmentEvent
{
    AttachmentId attachmentId;
    ContactId contactId;
    std::string organizationId;
};

constexpr auto schemaOf(const AttachmentEvent*)
{
    return describe(field("attachmentId", &AttachmentEvent::attachmentId), field("contactId", &AttachmentEvent::contactId),
                    field("organizationId", &AttachmentEvent::organizationId));
}

} // namespace portico::crm
