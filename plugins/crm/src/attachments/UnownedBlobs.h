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

/// The table of the blobs that no attachment has: what is being written, from before it exists, and what was deleted. A blob leaves it in
/// the transaction that makes it an attachment, or after its file is gone. Holds SQL only.
class UnownedBlobs
{
public:
    /// Before the blob is committed; from `removeAt` on it counts as given up.
    void add(Transaction& transaction, Tenant tenant, std::string_view key, Instant removeAt) const;
    /// The blob becomes an attachment's. False if it was given up meanwhile.
    bool adopt(Transaction& transaction, Tenant tenant, std::string_view key) const;
    /// Its writer has no use for it any more. Nothing happens to a blob that was adopted.
    void giveUp(Transaction& transaction, Tenant tenant, std::string_view key) const;
    /// An attachment has just lost it: it may be removed.
    void release(Transaction& transaction, Tenant tenant, std::string_view key) const;
    /// The same for all blobs of a contact that is about to be removed for good.
    void releaseOf(Transaction& transaction, Tenant tenant, const ContactId& contactId) const;

    /// Blobs of all organizations that are due, at most `limit`; nobody can adopt them from then on.
    std::vector<BlobReference> takeDue(Transaction& transaction, Instant now, int limit) const;
    /// The files are gone.
    void forget(Transaction& transaction, const std::vector<BlobReference>& blobs) const;
};

} // namespace portico::crm
