#pragma once

#include "contacts/ContactSettings.h"
#include "contacts/ContactStore.h"
#include "merges/ContactTransfer.h"
#include "merges/Dismissals.h"
#include "merges/Merge.h"
#include "merges/MergeRecords.h"
#include "records/CustomField.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"
#include "portico/Results.h"

#include <cstddef>
#include <stop_token>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Merges contacts and undoes it, each in one transaction with its events. The sources of a merge are no contacts any more: what is needed
/// to have them back stands in the record of the merge. Thread-safe.
class MergeService
{
public:
    /// The context and the keepers outlive it.
    MergeService(PluginContext& context, ContactSettings settings, const VersionKeepers& keepers)
        : _context(context), _settings(std::move(settings)), _keepers(keepers)
    {
    }

    /// A dry run does the same and takes it back. @throws Problem 400, 404, 412
    MergeResult merge(const Caller& caller, const Path<ContactId>& targetId, const Body<MergeInput>& body, const IfMatch& ifMatch);
    /// Makes the target what it was, and the sources contacts again. What was written below the target meanwhile stays there.
    /// @throws Problem 404 also when it is too long ago, 409 when the target was changed since or the merge was undone before
    UndoneMerge undo(const Caller& caller, const Path<MergeId>& id);

    /// Merges that were not undone yet, the last one first.
    Page<MergeView> list(const Caller& caller, const Query<MergeFilter>& filter, const Paging& paging) const;

    /// Says of contacts that no two are the same: they are suggested as duplicates no more until one of them changes what they share.
    /// @throws Problem 400, 404
    DismissedDuplicates dismiss(const Caller& caller, const Body<DismissedDuplicates>& body);
    /// Takes that back. @throws Problem 400, 404
    DismissedDuplicates undismiss(const Caller& caller, const Body<DismissedDuplicates>& body);

    /// Removes the records of all organizations that are too old to be undone; how many.
    std::size_t forgetExpired(const std::stop_token& stop);

private:
    struct Contacts
    {
        Contact target;
        std::vector<Contact> sources;
    };
    Contacts load(Transaction& transaction, Tenant tenant, const ContactId& targetId, const std::vector<ContactId>& sourceIds) const;
    Contact unite(const Contacts& contacts, const MergeInput& input, const CustomFields& fields, std::vector<LeftOutValue>& leftOut) const;
    MergeResult mergeIn(Transaction& transaction, const Caller& caller, const ContactId& targetId, const MergeInput& input,
                        const IfMatch& ifMatch) const;
    /// Moves what belongs to the sources, and removes them.
    MergedContacts absorb(Transaction& transaction, Tenant tenant, const Contacts& contacts, std::vector<LeftOutValue>& leftOut) const;
    MergeRecord requireUndoable(Transaction& transaction, Tenant tenant, const MergeId& id) const;
    void restoreTarget(Transaction& transaction, Tenant tenant, const MergeRecord& merge) const;
    void restoreSources(Transaction& transaction, Tenant tenant, const MergedContacts& merged, const CustomFields& fields) const;
    /// @throws Problem 409
    void insertAgain(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    Transfer transferOf(Tenant tenant, const ContactId& target, const std::vector<Contact>& sources) const;
    Instant now() const { return _context.clock().now(); }

    PluginContext& _context;
    ContactStore _contacts;
    ContactSettings _settings;
    const VersionKeepers& _keepers;
};

} // namespace portico::crm
