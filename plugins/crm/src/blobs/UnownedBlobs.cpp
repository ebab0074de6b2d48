#include "blobs/UnownedBlobs.h"

namespace portico::crm
{

void addUnownedBlob(Transaction& transaction, Tenant tenant, std::string_view key, Instant removeAt)
{
    transaction.execute("INSERT INTO unowned_blob (organization_id, blob_key, remove_at, removing) VALUES ($1, $2, $3, FALSE)", tenant, key,
                        removeAt);
}

bool adoptBlob(Transaction& transaction, Tenant tenant, std::string_view key)
{
    return transaction.execute("DELETE FROM unowned_blob WHERE organization_id = $1 AND blob_key = $2 AND NOT removing", tenant, key) == 1;
}

void giveUpBlob(Transaction& transaction, Tenant tenant, std::string_view key)
{
    transaction.execute("UPDATE unowned_blob SET remove_at = 0 WHERE organization_id = $1 AND blob_key = $2", tenant, key);
}

void releaseBlob(Transaction& transaction, Tenant tenant, std::string_view key) { addUnownedBlob(transaction, tenant, key, Instant{}); }

void releaseBlobsOf(Transaction& transaction, Tenant tenant, const ContactId& contactId)
{
    transaction.execute("INSERT INTO unowned_blob (organization_id, blob_key, remove_at, removing)"
                        " SELECT organization_id, blob_key, 0, FALSE FROM attachment WHERE organization_id = $1 AND contact_id = $2",
                        tenant, contactId);
}

std::vector<BlobReference> takeDueBlobs(Transaction& transaction, Instant now, int limit)
{
    std::vector<BlobReference> due;
    for (Row row : transaction.query("SELECT organization_id, blob_key FROM unowned_blob WHERE remove_at <= $1"
                                     " ORDER BY remove_at, organization_id, blob_key LIMIT $2",
                                     now, limit))
        due.push_back({row.get<std::string>(0), row.get<std::string>(1)});
    // A blob that was adopted in between has no row.
    std::erase_if(due,
                  [&](const BlobReference& blob)
                  {
                      return transaction.execute("UPDATE unowned_blob SET removing = TRUE WHERE organization_id = $1 AND blob_key = $2",
                                                 blob.organizationId, blob.key) == 0;
                  });
    return due;
}

void forgetBlobs(Transaction& transaction, const std::vector<BlobReference>& blobs)
{
    for (const auto& blob : blobs)
        transaction.execute("DELETE FROM unowned_blob WHERE organization_id = $1 AND blob_key = $2", blob.organizationId, blob.key);
}

} // namespace portico::crm
