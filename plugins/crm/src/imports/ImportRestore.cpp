#include "imports/ImportRestore.h"

#include "contacts/ContactLists.h"
#include "fields/CustomValues.h"
#include "imports/ImportIds.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// A file can pass external ids on from contact to contact; more of them than this are left as they are.
constexpr std::size_t mostTogether = 500;

} // namespace

std::vector<ContactId> ImportRestore::restore(ImportedChange change)
{
    Group group;
    std::vector<ContactId> restored;
    if (!gather(group, std::move(change))) return restored;
    // All of them first: two may have exchanged theirs.
    for (const auto& member : group)
        if (member.current.externalIds != member.before.externalIds) removeExternalIds(_transaction, _tenant, member.current.id);
    for (const auto& member : group)
    {
        putBack(member);
        restored.push_back(member.current.id);
    }
    return restored;
}

bool ImportRestore::gather(Group& group, ImportedChange change)
{
    const auto isIn = [&](const ContactId& id)
    { return std::any_of(group.begin(), group.end(), [&](const Member& member) { return member.current.id == id; }); };
    std::vector<ImportedChange> open;
    open.push_back(std::move(change));
    while (!open.empty())
    {
        auto next = std::move(open.back());
        open.pop_back();
        if (isIn(next.contactId)) continue;
        auto member = group.size() < mostTogether ? memberOf(std::move(next)) : std::nullopt;
        if (!member) return false;
        for (const auto& external : member->before.externalIds)
        {
            const auto holder = holderOf(external);
            if (!holder || *holder == member->current.id || isIn(*holder)) continue;
            auto theirs = _tools.imports.changeOf(_transaction, _tenant, _record.importId, *holder);
            if (!theirs || !theirs->documentBefore) return false;
            open.push_back(*std::move(theirs));
        }
        group.push_back(*std::move(member));
    }
    return true;
}

std::optional<ImportRestore::Member> ImportRestore::memberOf(ImportedChange change)
{
    auto current = _tools.contacts.load(_transaction, _tenant, change.contactId);
    if (!current || current->version != change.versionAfter) return std::nullopt;
    Contact before = *change.documentBefore;
    dropUndefined(before.customFields, _tools.fields.all(_transaction, _tenant));
    return Member{std::move(change), *std::move(current), std::move(before)};
}

std::optional<ContactId> ImportRestore::holderOf(const ExternalId& external)
{
    return _transaction.value<ContactId>(
        "SELECT contact_id FROM contact_external_id WHERE organization_id = $1 AND system = $2 AND external_id = $3", _tenant,
        external.system, external.id);
}

void ImportRestore::putBack(const Member& member)
{
    const auto& id = member.current.id;
    if (member.current.version != member.before.version)
    {
        if (member.current.photoAttachmentId != member.before.photoAttachmentId) removePhoto(*member.current.photoAttachmentId);
        Contact before = member.before;
        before.version = member.current.version + 1;
        before.updatedAt = now();
        _tools.contacts.update(_transaction, _tenant, member.current, before);
    }
    removeNotes(id);
    if (member.change.placed) takeOffBoard(id);
    _tools.imports.forgetChange(_transaction, _tenant, _record.importId, id);
}

void ImportRestore::removePhoto(const AttachmentId& id)
{
    const auto photo = _tools.attachmentStore.load(_transaction, _tenant, id);
    if (!photo) return;
    _tools.attachmentStore.erase(_transaction, _tenant, *photo);
    _tools.blobs.release(_transaction, _tenant, photo->blobKey);
}

void ImportRestore::removeNotes(const ContactId& contact)
{
    const auto [first, last] = idsMadeBy(_record.importId, NoteId::prefix);
    const auto removed =
        _transaction.execute("DELETE FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id >= $3 AND note_id <= $4", _tenant,
                             contact, first, last);
    if (removed > 0)
        _transaction.execute("UPDATE contact SET note_count = note_count - $3 WHERE organization_id = $1 AND id = $2", _tenant, contact,
                             removed);
}

/// A card that somebody has moved since stays.
void ImportRestore::takeOffBoard(const ContactId& contact)
{
    if (!_stage) return;
    const auto card = _stage->cards.find(_transaction, _tenant, _stage->pipeline.pipelineId, contact);
    if (!card || card->stageId != _stage->stageId) return;
    Placement placement;
    placement.contactId = contact;
    placement.movedBy = _record.createdBy;
    placement.source = MoveSource::Import;
    _stage->service.placeOnStage(_transaction, _tenant, _stage->pipeline, placement);
}

} // namespace portico::crm
