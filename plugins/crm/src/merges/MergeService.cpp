#include "merges/MergeService.h"

#include "contacts/ContactEvents.h"
#include "contacts/ContactRow.h"
#include "contacts/ContactRules.h"
#include "merges/ContactUnion.h"
#include "records/CustomValues.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// @throws Problem 400
void checkSources(const ContactId& targetId, const std::vector<ContactId>& sourceIds)
{
    std::vector<FieldError> faults;
    for (std::size_t i = 0; i < sourceIds.size(); ++i)
    {
        const auto end = sourceIds.begin() + static_cast<std::ptrdiff_t>(i);
        const std::string path = "sourceIds[" + std::to_string(i) + "]";
        if (sourceIds[i] == targetId)
            faults.push_back({path, "same_contact", "A contact cannot be merged into itself"});
        else if (std::find(sourceIds.begin(), end, sourceIds[i]) != end)
            faults.push_back({path, "not_unique", "Duplicate value"});
    }
    if (!faults.empty()) throw Problem::invalid(std::move(faults));
}

/// A photo that was deleted since.
void forgetLostPhoto(Session& session, Tenant tenant, Contact& contact)
{
    auto& photo = contact.photoAttachmentId;
    if (photo && !attachmentTable.exists(session, tenant, *photo)) photo.reset();
}

/// @throws Problem 400
void checkDismissed(const std::vector<ContactId>& ids)
{
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), ids[i]) != ids.begin() + static_cast<std::ptrdiff_t>(i))
            throw Problem::invalid("contactIds[" + std::to_string(i) + "]", "not_unique", "Duplicate value");
}

/// @throws Problem 404
std::vector<Contact> contactsToDismiss(Session& session, Tenant tenant, const DismissedDuplicates& dismissed)
{
    std::vector<Contact> contacts;
    for (const auto& row : contactRows.select(tenant).whereIn(&ContactRow::id, dismissed.contactIds).all(session))
        contacts.push_back(row.document);
    if (contacts.size() != dismissed.contactIds.size()) throw Problem::notFound();
    return contacts;
}

/// Empty for a contact that is not there, or deleted.
std::optional<std::int64_t> contactVersion(Session& session, Tenant tenant, const ContactId& id)
{
    return session.value<std::int64_t>("SELECT version FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL", tenant,
                                       id);
}

Problem changedSince(std::string_view detail) { return Problem::conflict("conflict", detail); }

} // namespace

MergeResult MergeService::merge(const Caller& caller, const Path<ContactId>& targetId, const Body<MergeInput>& body, const IfMatch& ifMatch)
{
    checkSources(*targetId, body->sourceIds);
    if (!body->dryRun)
        return _context.database().transact([&](Transaction& transaction)
                                            { return mergeIn(transaction, caller, *targetId, *body, ifMatch); });
    auto transaction = _context.database().begin();
    auto result = mergeIn(transaction, caller, *targetId, *body, ifMatch);
    result.mergeId.reset();
    result.undoUntil.reset();
    return result;
}

MergeResult MergeService::mergeIn(Transaction& transaction, const Caller& caller, const ContactId& targetId, const MergeInput& input,
                                  const IfMatch& ifMatch) const
{
    const auto tenant = caller.tenant();
    const auto fields = heldCustomFields(transaction, tenant);
    const auto contacts = load(transaction, tenant, targetId, input.sourceIds);
    ifMatch.require(contacts.target.version);
    MergeResult result;
    const auto merged = unite(contacts, input, fields, result.leftOut);

    const MergeRecord merge{MergeId::make(now()),
                            targetId,
                            merged.version,
                            now(),
                            caller.principalId,
                            std::nullopt,
                            absorb(transaction, tenant, contacts, result.leftOut)};
    _contacts.update(transaction, tenant, contacts.target, merged);
    mergeTable.insert(transaction, tenant, merge);
    publishContact(_context.events(), transaction, "merged", tenant, targetId, changedMembers(contacts.target, merged), input.sourceIds);
    result.contact = _contacts.require(transaction, tenant, targetId);
    result.mergeId = merge.mergeId;
    result.undoUntil = merge.mergedAt + _settings.restorable;
    return result;
}

MergeService::Contacts MergeService::load(Transaction& transaction, Tenant tenant, const ContactId& targetId,
                                          const std::vector<ContactId>& sourceIds) const
{
    std::vector<ContactId> ids{targetId};
    ids.insert(ids.end(), sourceIds.begin(), sourceIds.end());
    lockForTransfer(transaction, tenant, ids);
    auto loaded = _contacts.loadMany(transaction, tenant, ids);
    const auto take = [&](const ContactId& id)
    {
        const auto found =
            std::find_if(loaded.begin(), loaded.end(), [&](const Contact& contact) { return contact.id == id && !contact.deletedAt; });
        if (found == loaded.end()) throw Problem::notFound();
        return std::move(*found);
    };
    Contacts contacts{take(targetId), {}};
    for (const auto& id : sourceIds) contacts.sources.push_back(take(id));
    return contacts;
}

Contact MergeService::unite(const Contacts& contacts, const MergeInput& input, const CustomFields& fields,
                            std::vector<LeftOutValue>& leftOut) const
{
    Contact merged = uniteContacts(contacts.target, contacts.sources, input.prefer, fields, leftOut);
    // Values that contacts had already are not checked again, and the name was chosen.
    Contact base = contacts.target;
    base.customFields = merged.customFields;
    base.phones = merged.phones;
    base.displayName.clear();
    complete(merged, &base, _settings.callingCode, fields);
    merged.version = contacts.target.version + 1;
    merged.updatedAt = now();
    return merged;
}

Transfer MergeService::transferOf(Tenant tenant, const ContactId& target, const std::vector<Contact>& sources) const
{
    Transfer transfer{tenant, target, {}, now()};
    for (const auto& source : sources) transfer.sources.push_back(source.id);
    return transfer;
}

MergedContacts MergeService::absorb(Transaction& transaction, Tenant tenant, const Contacts& contacts,
                                    std::vector<LeftOutValue>& leftOut) const
{
    auto moved = reassignAll(transaction, transferOf(tenant, contacts.target.id, contacts.sources), leftOut);
    for (const auto& source : contacts.sources) _contacts.remove(transaction, tenant, source.id);
    return {contacts.target, contacts.sources, std::move(moved)};
}

UndoneMerge MergeService::undo(const Caller& caller, const Path<MergeId>& id)
{
    const auto tenant = caller.tenant();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto merge = requireUndoable(transaction, tenant, *id);
            const auto fields = heldCustomFields(transaction, tenant);
            lockForTransfer(transaction, tenant, {merge.targetId});
            restoreTarget(transaction, tenant, merge);
            restoreSources(transaction, tenant, merge.record, fields);
            UndoneMerge undone;
            for (const auto& source : merge.record.sources) undone.restoredIds.push_back(source.id);
            markUndone(transaction, tenant, *id, now());
            return undone;
        });
}

MergeRecord MergeService::requireUndoable(Transaction& transaction, Tenant tenant, const MergeId& id) const
{
    auto merge = mergeTable.findForUpdate(transaction, tenant, id);
    if (!merge || merge->mergedAt <= now() - _settings.restorable) throw Problem::notFound();
    if (merge->undoneAt) throw changedSince("This merge was undone before.");
    return *std::move(merge);
}

void MergeService::restoreTarget(Transaction& transaction, Tenant tenant, const MergeRecord& merge) const
{
    const auto current = _contacts.load(transaction, tenant, merge.targetId);
    if (!current || current->version != merge.targetVersion)
        throw changedSince("The contact was changed after the merge, so the merge can no longer be undone.");
    Contact before = merge.record.target;
    forgetLostPhoto(transaction, tenant, before);
    before.version = current->version + 1;
    before.updatedAt = now();
    _contacts.update(transaction, tenant, *current, before);
    _keepers.restored(transaction, tenant, before.id, merge.record.target.version, before.version);
    publishContact(_context.events(), transaction, "updated", tenant, merge.targetId, changedMembers(*current, before));
}

void MergeService::restoreSources(Transaction& transaction, Tenant tenant, const MergedContacts& merged, const CustomFields& fields) const
{
    for (const auto& source : merged.sources)
    {
        Contact contact = source;
        ++contact.version;
        contact.updatedAt = now();
        dropUndefined(contact.customFields, fields);
        forgetLostPhoto(transaction, tenant, contact);
        insertAgain(transaction, tenant, contact);
        _keepers.restored(transaction, tenant, contact.id, source.version, contact.version);
        publishContact(_context.events(), transaction, "restored", tenant, contact.id);
    }
    restoreAll(transaction, transferOf(tenant, merged.target.id, merged.sources), merged.moved);
}

void MergeService::insertAgain(Transaction& transaction, Tenant tenant, const Contact& contact) const
{
    try
    {
        _contacts.insert(transaction, tenant, contact);
    }
    catch (const Problem&)
    {
        throw changedSince("Another contact now has an external id of a merged one: remove it there first.");
    }
}

Page<MergeView> MergeService::list(const Caller& caller, const Query<MergeFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().snapshot();
    auto merges = mergeTable.select(tenant);
    merges.where("undone_at IS NULL AND merged_at > ?", now() - _settings.restorable);
    if (filter->contactId) merges.where(&MergeRecord::targetId, *filter->contactId);
    if (!filter->all)
        merges.where("EXISTS (SELECT 1 FROM contact c WHERE c.organization_id = contact_merge.organization_id "
                     "AND c.id = contact_merge.target_id AND c.version = contact_merge.target_version AND c.deleted_at IS NULL)");
    auto page = merges.orderBy(descending(&MergeRecord::mergeId)).page(session, paging);
    Page<MergeView> views{{}, std::move(page.nextCursor), page.total};
    for (const auto& merge : page.items)
    {
        auto& view = views.items.emplace_back();
        view.mergeId = merge.mergeId;
        view.contact = {merge.targetId, merge.record.target.displayName};
        for (const auto& source : merge.record.sources) view.sources.push_back({source.id, source.displayName});
        view.undoable = !filter->all || contactVersion(session, tenant, merge.targetId) == merge.targetVersion;
        view.undoUntil = merge.mergedAt + _settings.restorable;
        view.mergedAt = merge.mergedAt;
        view.mergedBy = merge.mergedBy;
    }
    return views;
}

DismissedDuplicates MergeService::dismiss(const Caller& caller, const Body<DismissedDuplicates>& body)
{
    const auto tenant = caller.tenant();
    checkDismissed(body->contactIds);
    _context.database().transact(
        [&](Transaction& transaction) {
            dismissPairs(transaction, tenant, contactsToDismiss(transaction, tenant, *body), {now(), caller.principalId});
        });
    return *body;
}

DismissedDuplicates MergeService::undismiss(const Caller& caller, const Body<DismissedDuplicates>& body)
{
    const auto tenant = caller.tenant();
    checkDismissed(body->contactIds);
    _context.database().transact([&](Transaction& transaction)
                                 { undismissPairs(transaction, tenant, contactsToDismiss(transaction, tenant, *body)); });
    return *body;
}

std::size_t MergeService::forgetExpired(const std::stop_token& stop)
{
    std::size_t forgotten = 0;
    while (!stop.stop_requested())
    {
        const auto some = _context.database().transact([&](Transaction& transaction)
                                                       { return forgetOldMerges(transaction, now() - _settings.restorable); });
        if (some == 0) break;
        forgotten += some;
    }
    return forgotten;
}

} // namespace portico::crm
