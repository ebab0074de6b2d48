#include "attachments/AttachmentService.h"

#include "attachments/ContentType.h"
#include "blobs/BlobSweeper.h"
#include "contacts/ContactEvents.h"

#include "portico/Json.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace portico::crm
{

namespace
{

/// Data of `crm.attachment.*`.
struct AttachmentEvent
{
    AttachmentId attachmentId;
    ContactId contactId;
    std::string organizationId;
};

constexpr auto schemaOf(const AttachmentEvent*)
{
    return describe(members<&AttachmentEvent::attachmentId, &AttachmentEvent::contactId, &AttachmentEvent::organizationId>());
}

/// A writer that has taken longer than this has surely given up.
constexpr std::chrono::hours writingTime{1};

Problem fileTooLarge(std::uint64_t limit)
{
    return Problem::tooLarge("The file is larger than an attachment may be.")
        .withDetails(R"({"fields":[{"field":"file","code":"too_large","limit":)" + std::to_string(limit) + "}]}");
}

Problem noRoom()
{
    return Problem::tooLarge("The organization has no room left for this file.")
        .withDetails(R"({"fields":[{"field":"file","code":"quota_exceeded"}]})");
}

/// Bytes in memory as a received file.
class MemoryFile final : public ReceivedFile
{
public:
    explicit MemoryFile(std::string_view bytes) : _bytes(bytes) {}
    std::uint64_t size() const noexcept override { return _bytes.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
    {
        if (offset >= _bytes.size()) return 0;
        return _bytes.copy(buffer.data(), buffer.size(), static_cast<std::size_t>(offset));
    }

private:
    std::string_view _bytes;
};

std::string firstBytesOf(const ReceivedFile& file)
{
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), sniffedBytes)), '\0');
    std::size_t held = 0;
    while (held < bytes.size())
    {
        const auto count = file.read(held, std::span(bytes).subspan(held));
        if (count == 0) throw Problem::internal();
        held += count;
    }
    return bytes;
}

std::string_view imageExtensionOf(std::string_view imageType) noexcept
{
    const auto subtype = imageType.substr(imageType.find('/') + 1);
    return subtype == "jpeg" ? "jpg" : subtype;
}

} // namespace

AttachmentSettings readAttachmentSettings(const Config& config)
{
    constexpr std::uint64_t mebibyte = 1024 * 1024;
    AttachmentSettings settings;
    settings.maxBytes = static_cast<std::uint64_t>(config.integer("crm.attachments.maxMebibytes")) * mebibyte;
    settings.perContact = config.integer("crm.attachments.perContact");
    settings.quotaBytes = static_cast<std::uint64_t>(config.integer("crm.attachments.quotaMebibytes")) * mebibyte;
    return settings;
}

Attachment AttachmentService::create(const Caller& caller, const ContactId& contactId, const IncomingFile& file)
{
    const auto tenant = caller.tenant();
    requireRoom(tenant, contactId, file.content->size());
    Attachment attachment = stage(tenant, caller.principalId, file);
    try
    {
        _context.database().transact(
            [&](Transaction& transaction)
            {
                attach(transaction, tenant, contactId, attachment);
                publish(transaction, "created", tenant, attachment.id, contactId);
            });
    }
    catch (...)
    {
        discard(tenant, attachment);
        throw;
    }
    return attachment;
}

void AttachmentService::publish(Session& session, std::string_view what, Tenant tenant, const AttachmentId& id,
                                const ContactId& contact) const
{
    _context.events().publish(session, "crm.attachment." + std::string(what), tenant.text(),
                              toJson(AttachmentEvent{id, contact, std::string(tenant.text())}));
}

Deleted<AttachmentId> AttachmentService::remove(const Caller& caller, const AttachmentId& id,
                                                const std::function<void(const Attachment&)>& check)
{
    const auto tenant = caller.tenant();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            // Locks the contact first, in the order of data/Locks.h, which prevents deadlocks.
            const auto found = attachmentTable.require(transaction, tenant, id);
            lockAttachmentCount(transaction, tenant, found.contactId);
            const auto attachment = attachmentTable.requireForUpdate(transaction, tenant, id);
            check(attachment);
            eraseAttachment(transaction, tenant, attachment);
            releaseBlob(transaction, tenant, attachment.blobKey);
            dropPhoto(transaction, tenant, attachment);
            BlobSweeper::request(_context.jobs(), transaction);
            publish(transaction, "deleted", tenant, id, attachment.contactId);
            return Deleted{id};
        });
}

Attachment AttachmentService::stage(Tenant tenant, std::string_view createdBy, const IncomingFile& file)
{
    Attachment attachment;
    attachment.createdAt = attachment.updatedAt = now();
    attachment.id = AttachmentId::make(attachment.createdAt);
    attachment.downloadUrl = downloadUrlOf(attachment.id);
    attachment.createdBy = createdBy;
    attachment.fileName = file.fileName;
    attachment.declaredType = file.declaredType;
    attachment.description = file.description;
    attachment.contentType = contentTypeOf(firstBytesOf(*file.content), file.declaredType);
    auto stored = store(tenant, *file.content);
    attachment.size = static_cast<std::int64_t>(stored.size);
    attachment.sha256 = std::move(stored.sha256);
    attachment.blobKey = std::move(stored.key);
    return attachment;
}

Blobs::Stored AttachmentService::store(Tenant tenant, const ReceivedFile& content)
{
    if (content.size() > _settings.maxBytes) throw fileTooLarge(_settings.maxBytes);
    const auto writer = _context.blobs().create(tenant.text());
    try
    {
        writer->write(content);
    }
    catch (const Problem& problem)
    {
        if (problem.status() == 413) throw noRoom();
        throw;
    }
    // Includes bytes that are being written, so that concurrent uploads cannot exceed the quota.
    requireQuota(tenant, 0);
    _context.database().transact([&](Transaction& transaction)
                                 { addUnownedBlob(transaction, tenant, writer->key(), now() + writingTime); });
    return writer->commit();
}

std::optional<Attachment> AttachmentService::stagePhoto(Tenant tenant, std::string_view createdBy, std::string_view bytes)
{
    const auto type = sniffContentType(bytes);
    if (bytes.size() > photoBytes || !isPhotoType(type)) return std::nullopt;
    const MemoryFile content(bytes);
    return stage(tenant, createdBy, {"photo." + std::string(imageExtensionOf(type)), std::nullopt, {}, &content});
}

void AttachmentService::attach(Transaction& transaction, Tenant tenant, const ContactId& contactId, Attachment& staged) const
{
    const auto count = lockAttachmentCount(transaction, tenant, contactId);
    if (!count) throw Problem::notFound();
    requireFewer(*count);
    if (!adoptBlob(transaction, tenant, staged.blobKey))
        throw Problem::unavailable("overloaded", "Storing the file took too long; send it again.");
    staged.contactId = contactId;
    insertAttachment(transaction, tenant, staged);
}

void AttachmentService::discard(Tenant tenant, const Attachment& staged) noexcept
{
    try
    {
        _context.database().transact(
            [&](Transaction& transaction)
            {
                // A commit that was reported as failed may have taken effect: then the blob is an attachment's, and stays.
                giveUpBlob(transaction, tenant, staged.blobKey);
                BlobSweeper::request(_context.jobs(), transaction);
            });
    }
    catch (const std::exception&)
    {
        // The sweep finds it when its hour has passed.
    }
}

void AttachmentService::dropPhoto(Transaction& transaction, Tenant tenant, const Attachment& attachment) const
{
    const auto before = _contacts.load(transaction, tenant, attachment.contactId);
    if (!before || before->photoAttachmentId != attachment.id) return;
    Contact after = *before;
    after.photoAttachmentId.reset();
    after.updatedAt = now();
    ++after.version;
    _contacts.update(transaction, tenant, *before, after);
    publishContact(_context.events(), transaction, "updated", tenant, after.id, std::vector<std::string>{"photoAttachmentId"});
}

void AttachmentService::requireRoom(Tenant tenant, const ContactId& contactId, std::uint64_t size) const
{
    {
        auto session = _context.database().session();
        const auto count = attachmentCount(session, tenant, contactId);
        if (!count) throw Problem::notFound();
        requireFewer(*count);
    }
    if (size > _settings.maxBytes) throw fileTooLarge(_settings.maxBytes);
    requireQuota(tenant, size);
}

void AttachmentService::requireQuota(Tenant tenant, std::uint64_t more) const
{
    if (_settings.quotaBytes == 0) return;
    const auto used = _context.blobs().usedBytes(tenant.text());
    if (used > _settings.quotaBytes || more > _settings.quotaBytes - used) throw noRoom();
}

void AttachmentService::requireFewer(std::int64_t count) const
{
    if (count >= _settings.perContact)
        throw Problem::invalid("file", "limit_reached", "A contact has at most " + std::to_string(_settings.perContact) + " attachments");
}

} // namespace portico::crm
