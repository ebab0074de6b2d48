#pragma once

#include "merges/Merge.h"
#include "pipelines/CardMerge.h"

#include <map>
#include <string>
#include <vector>

namespace portico::crm
{

// Records that move with contacts when they are merged: notes, attachments, cards and their history.

/// Records that a merge has moved from the sources to its target. Stored in the merge's record.
struct Transferred
{
    /// Keys are ids of sources.
    std::map<std::string, std::vector<NoteId>> notes;
    std::map<std::string, std::vector<AttachmentId>> attachments;
    MergedCards cards;
};

constexpr auto schemaOf(const Transferred*)
{
    return describe(members<&Transferred::notes, &Transferred::attachments, &Transferred::cards>());
}

/// The target of a merge, its sources and its time.
struct Transfer
{
    Tenant tenant;
    ContactId target;
    std::vector<ContactId> sources;
    Instant now{};
};

/// Locks the pipelines of the contacts, so that their cards keep their positions. Must be called before the contacts are locked.
void lockForTransfer(Transaction& transaction, Tenant tenant, const std::vector<ContactId>& contacts);
/// Moves all records from the sources to the target, and updates the counts of the target's row. The sources are removed afterwards. The
/// contacts must be locked.
/// @param leftOut receives values that could not be moved
Transferred reassignAll(Transaction& transaction, const Transfer& transfer, std::vector<LeftOutValue>& leftOut);
/// Moves what `reassignAll` has moved back to the restored sources, if it still exists.
void restoreAll(Transaction& transaction, const Transfer& transfer, const Transferred& moved);

} // namespace portico::crm
