#include "records/Attachment.h"

#include "data/SqlText.h"

namespace portico::crm
{

namespace
{

constexpr std::string_view countOfOne =
    "SELECT attachment_count FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL";

void changeCount(Transaction& transaction, Tenant tenant, const ContactId& contactId, std::int64_t by)
{
    transaction.execute("UPDATE contact SET attachment_count = attachment_count + $3 WHERE organization_id = $1 AND id = $2", tenant,
                        contactId, by);
}

} // namespace

std::string downloadUrlOf(const AttachmentId& id) { return "/api/attachments/" + id.text(); }

Page<Attachment> listAttachments(Session& session, Tenant tenant, const ContactId& contactId, const Paging& paging)
{
    auto page = attachmentRows.select(tenant)
                    .where(&Attachment::contactId, contactId)
                    .orderBy(descending(&Attachment::createdAt), descending(&Attachment::id))
                    .page(session, paging);
    for (auto& attachment : page.items) attachment.downloadUrl = downloadUrlOf(attachment.id);
    return page;
}

std::optional<std::int64_t> attachmentCount(Session& session, Tenant tenant, const ContactId& contactId)
{
    return session.value<std::int64_t>(countOfOne, tenant, contactId);
}

std::optional<std::int64_t> lockAttachmentCount(Transaction& transaction, Tenant tenant, const ContactId& contactId)
{
    return transaction.value<std::int64_t>(std::string(countOfOne) + std::string(forUpdate(transaction)), tenant, contactId);
}

void insertAttachment(Transaction& transaction, Tenant tenant, const Attachment& attachment)
{
    changeCount(transaction, tenant, attachment.contactId, 1);
    attachmentRows.insert(transaction, tenant, attachment);
}

void eraseAttachment(Transaction& transaction, Tenant tenant, const Attachment& attachment)
{
    attachmentRows.erase(transaction, tenant, attachment.id);
    changeCount(transaction, tenant, attachment.contactId, -1);
}

std::vector<AttachmentId> reassignAttachments(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to,
                                              Instant now)
{
    auto ids = transaction.values<AttachmentId>(
        "SELECT id FROM attachment WHERE organization_id = $1 AND contact_id = $2 ORDER BY created_at, id", tenant, from);
    moveAttachments(transaction, tenant, ids, from, to, now);
    return ids;
}

void moveAttachments(Transaction& transaction, Tenant tenant, const std::vector<AttachmentId>& ids, const ContactId& from,
                     const ContactId& to, Instant now)
{
    std::int64_t moved = 0;
    for (const auto& id : ids)
        moved += transaction.execute("UPDATE attachment SET contact_id = $4, version = version + 1, updated_at = $5"
                                     " WHERE organization_id = $1 AND id = $2 AND contact_id = $3",
                                     tenant, id, from, to, now);
    if (moved == 0) return;
    changeCount(transaction, tenant, from, -moved);
    changeCount(transaction, tenant, to, moved);
}

} // namespace portico::crm
