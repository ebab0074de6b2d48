#include "attachments/AttachmentStore.h"

#include "data/SqlText.h"

#include <charconv>

namespace portico::crm
{

namespace
{

constexpr std::string_view countOfOne =
    "SELECT attachment_count FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL";

/// `1795224888705\nfil_…`: created, id of the last attachment of a page.
std::string cursorOf(const Attachment& attachment) { return std::to_string(toMillis(attachment.createdAt)) + '\n' + attachment.id.text(); }

/// Later attachments in the order of the list. The SDK signs cursors, so this one is ours.
void addAttachmentCursor(SqlConditions& conditions, std::string_view cursor)
{
    if (cursor.empty()) return;
    const auto end = cursor.find('\n');
    std::int64_t created = 0;
    std::from_chars(cursor.data(), cursor.data() + end, created);
    const auto createdAt = conditions.bind(created);
    conditions.add("(created_at, id) < (" + createdAt + ", " + conditions.bind(std::string(cursor.substr(end + 1))) + ")");
}

Attachment complete(Attachment attachment)
{
    attachment.downloadUrl = "/api/attachments/" + attachment.id.text();
    return attachment;
}

std::optional<Attachment> complete(std::optional<Attachment> attachment)
{
    if (!attachment) return std::nullopt;
    return complete(*std::move(attachment));
}

void changeCount(Transaction& transaction, Tenant tenant, const ContactId& contactId, std::int64_t by)
{
    transaction.execute("UPDATE contact SET attachment_count = attachment_count + $3 WHERE organization_id = $1 AND id = $2", tenant,
                        contactId, by);
}

} // namespace

AttachmentStore::AttachmentStore()
    : _selectOne("SELECT " + columns<Attachment>() +
                 " FROM attachment WHERE organization_id = $1 AND id = $2 AND EXISTS (SELECT 1 FROM contact c "
                 "WHERE c.organization_id = $1 AND c.id = attachment.contact_id AND c.deleted_at IS NULL)")
{
}

Page<Attachment> AttachmentStore::list(Session& session, Tenant tenant, const ContactId& contactId, const Paging& paging) const
{
    Page<Attachment> page;
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(tenant.text())));
    conditions.add("contact_id = " + conditions.bind(contactId.text()));
    if (paging.includeTotal)
        for (Row row : session.queryValues("SELECT count(*) FROM attachment WHERE " + conditions.text(), conditions.values()))
            page.total = row.get<std::int64_t>(0);

    addAttachmentCursor(conditions, paging.cursor);
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const std::string sql = "SELECT " + columns<Attachment>() + " FROM attachment WHERE " + conditions.text() +
                            " ORDER BY created_at DESC, id DESC LIMIT " + limit;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = cursorOf(page.items.back());
            break;
        }
        page.items.push_back(complete(row.as<Attachment>()));
    }
    return page;
}

std::vector<Attachment> AttachmentStore::firstPage(Session& session, Tenant tenant, const ContactId& contactId) const
{
    return list(session, tenant, contactId, Paging{}).items;
}

std::optional<Attachment> AttachmentStore::find(Session& session, Tenant tenant, const AttachmentId& id) const
{
    return complete(session.one<Attachment>(_selectOne, tenant, id));
}

std::optional<Attachment> AttachmentStore::load(Transaction& transaction, Tenant tenant, const AttachmentId& id) const
{
    return complete(transaction.one<Attachment>(_selectOne + std::string(forUpdate(transaction)), tenant, id));
}

std::optional<std::int64_t> AttachmentStore::count(Session& session, Tenant tenant, const ContactId& contactId) const
{
    return session.value<std::int64_t>(countOfOne, tenant, contactId);
}

std::optional<std::int64_t> AttachmentStore::lockCount(Transaction& transaction, Tenant tenant, const ContactId& contactId) const
{
    return transaction.value<std::int64_t>(std::string(countOfOne) + std::string(forUpdate(transaction)), tenant, contactId);
}

void AttachmentStore::insert(Transaction& transaction, Tenant tenant, const Attachment& attachment) const
{
    changeCount(transaction, tenant, attachment.contactId, 1);
    transaction.insert("attachment", attachment, {"organization_id"}, tenant);
}

void AttachmentStore::erase(Transaction& transaction, Tenant tenant, const Attachment& attachment) const
{
    transaction.execute("DELETE FROM attachment WHERE organization_id = $1 AND id = $2", tenant, attachment.id);
    changeCount(transaction, tenant, attachment.contactId, -1);
}

std::vector<AttachmentId> AttachmentStore::idsOf(Session& session, Tenant tenant, const ContactId& contactId) const
{
    std::vector<AttachmentId> ids;
    for (Row row : session.query("SELECT id FROM attachment WHERE organization_id = $1 AND contact_id = $2 ORDER BY created_at, id", tenant,
                                 contactId))
        ids.push_back(row.get<AttachmentId>(0));
    return ids;
}

std::int64_t AttachmentStore::move(Transaction& transaction, Tenant tenant, const std::vector<AttachmentId>& ids, const ContactId& from,
                                   const ContactId& to, Instant now) const
{
    std::int64_t moved = 0;
    for (const auto& id : ids)
        moved += transaction.execute("UPDATE attachment SET contact_id = $4, version = version + 1, updated_at = $5"
                                     " WHERE organization_id = $1 AND id = $2 AND contact_id = $3",
                                     tenant, id, from, to, now);
    if (moved == 0) return 0;
    changeCount(transaction, tenant, from, -moved);
    changeCount(transaction, tenant, to, moved);
    return moved;
}

} // namespace portico::crm
