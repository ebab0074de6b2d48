#include "attachments/UnownedBlobs.h"

#include "data/SqlText.h"

namespace portico::crm
{

void UnownedBlobs::add(Transaction& transaction, Tenant tenant, std::string_view key, Instant removeAt) const
{
    transaction.execute("INSERT INTO unowned_blob (organization_id, blob_key, remove_at, removing) VALUES ($1, $2, $3, FALSE)", tenant, key,
                        removeAt);
}

bool UnownedBlobs::adopt(Transaction& transaction, Tenant tenant, std::string_view key) const
{
    return transaction.execute("DELETE FROM unowned_blob WHERE organization_id = $1 AND blob_key = $2 AND NOT removing", tenant, key) == 1;
}

void UnownedBlobs::giveUp(Transaction& transaction, Tenant tenant, std::string_view key) const
{
    transaction.execute("UPDATE unowned_blob SET remove_at = 0 WHERE organization_id = $1 AND blob_key = $2", tenant, key);
}

void UnownedBlobs::release(Transaction& transaction, Tenant tenant, std::string_view key) const
{
    transaction.execute("INSERT INTO unowned_blob (organization_id, blob_key, remove_at, removing) VALUES ($1, $2, 0, FALSE)", tenant, key);
}

void UnownedBlobs::releaseOf(Transaction& transaction, Tenant tenant, const ContactId& contactId) const
{
    transaction.execute("INSERT INTO unowned_blob (organization_id, blob_key, remove_at, removing)"
                        " SELECT organization_id, blob_key, 0, FALSE FROM attachment WHERE organization_id = $1 AND contact_id = $2",
                        tenant, contactId);
}

std::vector<BlobReference> UnownedBlobs::takeDue(Transaction& transaction, Instant now, int limit) const
{
    std::vector<BlobReference> due;
    for (Row row : transaction.query("SELECT organization_id, blob_key FROM unowned_blob WHERE remove_at <= $1"
                                     " ORDER BY remove_at, organization_id, blob_key LIMIT $2" +
                                         std::string(forUpdate(transaction)),
                                     now, limit))
        due.push_back({row.get<std::string>(0), row.get<std::string>(1)});
    for (const auto& blob : due)
        transaction.execute("UPDATE unowned_blob SET removing = TRUE WHERE organization_id = $1 AND blob_key = $2", blob.organizationId,
                            blob.key);
    return due;
}

void UnownedBlobs::forget(Transaction& transaction, const std::vector<BlobReference>& blobs) const
{
    for (const auto& blob : blobs)
        transaction.execute("DELETE FROM unowned_blob WHERE organization_id = $1 AND blob_key = $2", blob.organizationId, blob.key);
}

} // namespace portico::crm
