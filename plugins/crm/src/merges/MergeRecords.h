#pragma once

#include "merges/ContactTransfer.h"

#include "portico/Table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// The contacts before a merge, and the moved records.
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

/// Undo data of a merge.
struct MergeRecord
{
    MergeId mergeId;
    ContactId targetId;
    std::int64_t targetVersion = 1;
    Instant mergedAt{};
    std::string mergedBy;
    std::optional<Instant> undoneAt;
    /// Empty after the merge was undone.
    MergedContacts record;
};

constexpr auto schemaOf(const MergeRecord*)
{
    return describe(members<&MergeRecord::mergeId, &MergeRecord::targetId, &MergeRecord::targetVersion, &MergeRecord::mergedAt,
                            &MergeRecord::mergedBy, &MergeRecord::undoneAt, &MergeRecord::record>());
}

inline constexpr Table mergeTable{"contact_merge", &MergeRecord::mergeId};

void markUndone(Transaction& transaction, Tenant tenant, const MergeId& id, Instant now);
/// Called when a contact has been restored to an older version: merges into it that could be undone at that version can be undone again.
/// Skips a merge that is being undone: it is locked and waits for the contact (data/Locks.h).
void carryMergesOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion);
/// Removes the undo data of merges into this contact, because it is removed permanently. Returns the contacts that were merged into it.
std::vector<ContactId> forgetMergesInto(Transaction& transaction, Tenant tenant, const ContactId& id);
/// Removes some records of all organizations that are at least that old. Returns their number.
std::size_t forgetOldMerges(Transaction& transaction, Instant mergedUntil);

} // namespace portico::crm
