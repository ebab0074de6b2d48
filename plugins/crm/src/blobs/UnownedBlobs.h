#pragma once

#include "Ids.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// A blob of an organization.
struct BlobReference
{
    std::string organizationId;
    std::string key;
};

// Table of the blobs that belong to no attachment: blobs being written, recorded before they exist, and deleted ones. A blob leaves the
// table when it becomes an attachment, in the same transaction, or after its file is deleted.

/// Records a blob before it is committed. From `removeAt` on it is abandoned.
void addUnownedBlob(Transaction& transaction, Tenant tenant, std::string_view key, Instant removeAt);
/// Makes the blob an attachment's. Returns false if the blob was abandoned in the meantime.
bool adoptBlob(Transaction& transaction, Tenant tenant, std::string_view key);
/// Abandons the blob. Does nothing for one that was adopted.
void giveUpBlob(Transaction& transaction, Tenant tenant, std::string_view key);
/// Marks the blob of a deleted attachment for removal.
void releaseBlob(Transaction& transaction, Tenant tenant, std::string_view key);
/// Does the same for all blobs of a contact that is about to be removed permanently.
void releaseBlobsOf(Transaction& transaction, Tenant tenant, const ContactId& contactId);

/// Returns up to `limit` due blobs of all organizations. They can no longer be adopted.
std::vector<BlobReference> takeDueBlobs(Transaction& transaction, Instant now, int limit);
/// Deletes the rows after the files were deleted.
void forgetBlobs(Transaction& transaction, const std::vector<BlobReference>& blobs);

} // namespace portico::crm
