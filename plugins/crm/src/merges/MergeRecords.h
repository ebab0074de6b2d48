#pragma once

#include "merges/ContactTransfer.h"

#include "portico/Table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// The contacts as they were, and what went with them.
struct MergedContacts
{
    Contact target;
    std::vector<Contact> sources;
    Transferred moved;
};

constexpr auto schemaOf(const MergedContacts*)
{
    return describe(members<&MergedContacts::target, &MergedContacts::sources, &MergedContacts::moved>());
}

/// What is needed to undo a merge.
struct MergeRecord
{
    MergeId mergeId;
    ContactId targetId;
    std::int64_t targetVersion = 1;
    Instant mergedAt{};
    std::string mergedBy;
    std::optional<Instant> undoneAt;
    /// Nothing in it once the merge was undone.
    MergedContacts record;
};

constexpr auto schemaOf(const MergeRecord*)
{
    return describe(members<&MergeRecord::mergeId, &MergeRecord::targetId, &MergeRecord::targetVersion, &MergeRecord::mergedAt,
                            &MergeRecord::mergedBy, &MergeRecord::undoneAt, &MergeRecord::record>());
}

inline constexpr Table mergeTable{"contact_merge", &MergeRecord::mergeId};

void markUndone(Transaction& transaction, Tenant tenant, const MergeId& id, Instant now);
/// A contact is again what it was at an older version: merges into it that can be undone from there can be so again. One that is being
/// undone is left alone: it is locked, and waits for the contact (data/Locks.h).
void carryMergesOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);
/// Removes what is kept of contacts that were merged into this one, and of those that were merged into them: the contact is removed for
/// good.
void forgetMergesInto(Transaction& transaction, Tenant tenant, const ContactId& id);
/// Removes some of the records of all organizations that are as old as that or older; how many.
std::size_t forgetOldMerges(Transaction& transaction, Instant mergedUntil);

} // namespace portico::crm
