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

// The table of the blobs that no attachment has: what is being written, from before it exists, and what was deleted. A blob leaves it in
// the transaction that makes it an attachment, or after its file is gone.

/// Before the blob is committed; from `removeAt` on it counts as given up.
void addUnownedBlob(Transaction& transaction, Tenant tenant, std::string_view key, Instant removeAt);
/// The blob becomes an attachment's. False if it was given up meanwhile.
bool adoptBlob(Transaction& transaction, Tenant tenant, std::string_view key);
/// Its writer has no use for it any more. Nothing happens to a blob that was adopted.
void giveUpBlob(Transaction& transaction, Tenant tenant, std::string_view key);
/// An attachment has just lost it: it may be removed.
void releaseBlob(Transaction& transaction, Tenant tenant, std::string_view key);
/// The same for all blobs of a contact that is about to be removed for good.
void releaseBlobsOf(Transaction& transaction, Tenant tenant, const ContactId& contactId);

/// Blobs of all organizations that are due, at most `limit`; nobody can adopt them from then on.
std::vector<BlobReference> takeDueBlobs(Transaction& transaction, Instant now, int limit);
/// The files are gone.
void forgetBlobs(Transaction& transaction, const std::vector<BlobReference>& blobs);

} // namespace portico::crm
