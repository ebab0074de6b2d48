#pragma once

#include "merges/Merge.h"
#include "pipelines/CardMerge.h"

#include <map>
#include <string>
#include <vector>

namespace portico::crm
{

// What contacts have and what goes with them when they are merged: notes, attachments, cards and their history.

/// What went from the sources of a merge to its target, as the record of the merge keeps it.
struct Transferred
{
    /// By the source's id.
    std::map<std::string, std::vector<NoteId>> notes;
    std::map<std::string, std::vector<AttachmentId>> attachments;
    MergedCards cards;
};

constexpr auto schemaOf(const Transferred*)
{
    return describe(members<&Transferred::notes, &Transferred::attachments, &Transferred::cards>());
}

/// The contact that stays, those that go into it, and when.
struct Transfer
{
    Tenant tenant;
    ContactId target;
    std::vector<ContactId> sources;
    Instant now{};
};

/// Takes the locks that must be taken before those of the contacts: of the pipelines on which they stand, so that nobody gives their cards
/// new positions meanwhile.
void lockForTransfer(Transaction& transaction, Tenant tenant, const std::vector<ContactId>& contacts);
/// Moves all of it from the sources, which are removed afterwards, to the target, and keeps right what the target's row shows of it. The
/// contacts are locked. `leftOut` gets what could not be moved.
Transferred reassignAll(Transaction& transaction, const Transfer& transfer, std::vector<LeftOutValue>& leftOut);
/// Moves what `reassignAll` moved, and is still there, back to the sources, which exist again.
void restoreAll(Transaction& transaction, const Transfer& transfer, const Transferred& moved);

} // namespace portico::crm
