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

/// Merges contacts and undoes merges, each in one transaction with its events. A merge removes its sources; its record contains the data to
/// restore them. Thread-safe.
class MergeService
{
public:
    /// All arguments must outlive this object.
    MergeService(PluginContext& context, ContactSettings settings, const VersionKeepers& keepers)
        : _context(context), _settings(std::move(settings)), _keepers(keepers)
    {
    }

    /// Merges the sources into the target. A dry run rolls back. @throws Problem 400, 404, 412
    MergeResult merge(const Caller& caller, const Path<ContactId>& targetId, const Body<MergeInput>& body, const IfMatch& ifMatch);
    /// Restores the target and the sources. Records that were added to the target since stay there.
    /// @throws Problem 404 also after the undo period, 409 if the target was changed since or the merge was already undone
    UndoneMerge undo(const Caller& caller, const Path<MergeId>& id);

    /// Lists merges that were not undone, newest first.
    Page<MergeView> list(const Caller& caller, const Query<MergeFilter>& filter, const Paging& paging) const;

    /// Marks contacts as different persons: their pairs are no longer suggested, until what two of them have in common changes.
    /// @throws Problem 400, 404
    DismissedDuplicates dismiss(const Caller& caller, const Body<DismissedDuplicates>& body);
    /// Removes the marks. @throws Problem 400, 404
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
