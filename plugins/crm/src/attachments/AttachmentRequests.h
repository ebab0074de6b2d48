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

/// Data of `crm.attachment.created`.
struct AttachmentEvent
{
    AttachmentId attachmentId;
    ContactId contactId;
    std::string organizationId;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::DeletedAttachment>
{
    using T = portico::crm::DeletedAttachment;
    static constexpr auto fields = describe(field("id", &T::id), field("deleted", &T::deleted));
};

template <>
struct portico::Schema<portico::crm::AttachmentEvent>
{
    using T = portico::crm::AttachmentEvent;
    static constexpr auto fields =
        describe(field("attachmentId", &T::attachmentId), field("contactId", &T::contactId), field("organizationId", &T::organizationId));
};
