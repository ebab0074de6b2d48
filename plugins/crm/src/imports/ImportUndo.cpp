#include "imports/ImportUndo.h"

#include "attachments/UnownedBlobs.h"
#include "contacts/ContactLists.h"
#include "fields/CustomValues.h"
#include "imports/ImportIds.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::int64_t contactsPerTransaction = 200;

class Undo
{
public:
    Undo(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportState& state, UndoMode mode)
        : _tools(tools),
          _transaction(transaction),
          _tenant(tenant),
          _state(state),
          _mode(mode),
          _stage(holdStage(tools, transaction, tenant, state.options)),
          _restore(tools, transaction, tenant, state, _stage ? &*_stage : nullptr)
    {
    }

    UndoStep run(const UndoCursor& from)
    {
        _step.next = from;
        if (from.deletesDone)
            restoreSome(from.fileRow);
        else
            deleteSome(from.contactId);
        return std::move(_step);
    }

private:
    /// The last change first: so nobody stands where somebody is to be put back.
    void restoreSome(std::int64_t before)
    {
        const auto changes = _tools.imports.changes(_transaction, _tenant, _state.importId, before, contactsPerTransaction);
        _step.next.done = changes.empty();
        for (const auto& change : changes)
        {
            _step.next.fileRow = change.fileRow;
            if (contains(_step.restored, change.contactId)) continue;
            const auto together = _restore.restore(change);
            if (together.empty()) _step.kept.push_back(change.contactId);
            _step.restored.insert(_step.restored.end(), together.begin(), together.end());
        }
        std::erase_if(_step.kept, [&](const ContactId& id) { return contains(_step.restored, id); });
    }

    static bool contains(const std::vector<ContactId>& ids, const ContactId& id)
    {
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    }

    void deleteSome(const std::string& after)
    {
        const auto [first, last] = idsMadeBy(_state.importId, ContactId::prefix);
        std::vector<ContactId> ids;
        for (Row row : _transaction.query("SELECT id FROM contact WHERE organization_id = $1 AND id > $2 AND id <= $3 "
                                          "AND deleted_at IS NULL ORDER BY id LIMIT $4",
                                          _tenant, after.empty() ? first : after, last, contactsPerTransaction))
            ids.push_back(row.get<ContactId>(0));
        _step.next.deletesDone = ids.empty();
        for (const auto& id : ids)
        {
            if (remove(id))
                ++_step.deleted;
            else
                _step.kept.push_back(id);
            _step.next.contactId = id.text();
        }
    }

    bool remove(const ContactId& id)
    {
        auto contact = _tools.contacts.load(_transaction, _tenant, id);
        if (!contact || !isAsItWasMade(*contact)) return false;
        if (_mode == UndoMode::AsIfNeverMade)
            _tools.contacts.erase(_transaction, _tenant, id);
        else
        {
            contact->deletedAt = contact->updatedAt = now();
            ++contact->version;
            _tools.contacts.markDeleted(_transaction, _tenant, *contact);
        }
        _tools.imports.forgetChange(_transaction, _tenant, _state.importId, id);
        return true;
    }

    bool isAsItWasMade(const Contact& contact)
    {
        // Most imports change no contact twice.
        const auto version =
            contact.version == 1 ? 1 : _tools.imports.versionAfter(_transaction, _tenant, _state.importId, contact.id).value_or(1);
        if (contact.version != version) return false;
        const auto counts = contact.counts.value_or(ContactCounts{});
        // A photo that came with it is its only file.
        const std::int64_t files = contact.photoAttachmentId ? 1 : 0;
        return counts.attachments == files && (counts.notes == 0 || counts.notes == untouchedNotes(contact.id)) &&
               (!contact.pipelines || contact.pipelines->empty() || !wasMoved(contact.id));
    }

    bool wasMoved(const ContactId& contact)
    {
        return _transaction
            .value<std::int64_t>("SELECT 1 FROM pipeline_history WHERE organization_id = $1 AND contact_id = $2 AND source <> $3 LIMIT 1",
                                 _tenant, contact, toString(MoveSource::Import))
            .has_value();
    }

    /// Notes of this import that nobody has changed.
    std::int64_t untouchedNotes(const ContactId& contact)
    {
        const auto [first, last] = idsMadeBy(_state.importId, NoteId::prefix);
        return _transaction
            .value<std::int64_t>("SELECT count(*) FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id >= $3 "
                                 "AND note_id <= $4 AND version = 1",
                                 _tenant, contact, first, last)
            .value_or(0);
    }

    Instant now() const { return _tools.context.clock().now(); }

    const ImportTools& _tools;
    Transaction& _transaction;
    Tenant _tenant;
    const ImportState& _state;
    const UndoMode _mode;
    const std::optional<ImportStage> _stage;
    ImportRestore _restore;
    UndoStep _step;
};

/// A file can pass external ids on from contact to contact; more of them than this are left as they are.
constexpr std::size_t mostTogether = 500;

} // namespace

UndoStep undoSome(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportState& state, const UndoCursor& from,
                  UndoMode mode)
{
    return Undo(tools, transaction, tenant, state, mode).run(from);
}

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
            auto theirs = _tools.imports.changeOf(_transaction, _tenant, _state.importId, *holder);
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
    dropUndefined(before.customFields, customFields(_transaction, _tenant));
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
    _tools.imports.forgetChange(_transaction, _tenant, _state.importId, id);
}

void ImportRestore::removePhoto(const AttachmentId& id)
{
    const auto photo = attachmentTable.findForUpdate(_transaction, _tenant, id);
    if (!photo) return;
    eraseAttachment(_transaction, _tenant, *photo);
    releaseBlob(_transaction, _tenant, photo->blobKey);
}

void ImportRestore::removeNotes(const ContactId& contact)
{
    const auto [first, last] = idsMadeBy(_state.importId, NoteId::prefix);
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
    const auto card = cardTable.find(_transaction, _tenant, _stage->pipeline.pipelineId, contact);
    if (!card || card->stageId != _stage->stageId) return;
    Placement placement;
    placement.contactId = contact;
    placement.movedBy = _state.createdBy;
    placement.source = MoveSource::Import;
    _stage->service.placeOnStage(_transaction, _tenant, _stage->pipeline, placement);
}

} // namespace portico::crm
