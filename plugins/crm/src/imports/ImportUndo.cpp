#include "imports/ImportUndo.h"

#include "blobs/UnownedBlobs.h"
#include "contacts/ContactLists.h"
#include "data/InList.h"
#include "imports/ImportIds.h"
#include "imports/ImportStore.h"
#include "records/CustomValues.h"
#include "records/HistoryEntry.h"

#include <algorithm>
#include <set>

namespace portico::crm
{

namespace
{

/// Maximum contacts of a transaction; it ends earlier if another one waits.
constexpr std::int64_t contactsPerTransaction = 200;

/// Maximum contacts that are restored together because the file has moved external ids between them. Larger groups are kept.
constexpr std::size_t maxTogether = 500;

/// Returns the cards of contacts that have a value.
std::vector<CardRow> cardsWithValue(const ImportScope& scope, const std::vector<ContactId>& contacts)
{
    return cardTable.select(scope.tenant).whereIn(&CardRow::contactId, contacts).where("value IS NOT NULL").all(scope.transaction);
}

/// Restores contacts that an import has changed, within one transaction.
class ImportRestore
{
public:
    explicit ImportRestore(const ImportScope& scope) : _scope(scope) {}

    /// Finds contacts whose imported notes or cards were changed since. Runs a few statements for all these changes.
    void check(const std::vector<ImportedChange>& changes)
    {
        std::vector<std::string> contacts;
        std::vector<ContactId> placed;
        for (const auto& change : changes)
        {
            _checked.insert(change.contactId);
            contacts.push_back(change.contactId.text());
            if (change.placed) placed.push_back(change.contactId);
        }
        checkNotes(contacts);
        if (_scope.stage && !placed.empty()) checkCards(placed);
    }

    /// Restores a contact, and those to which the import has moved its external ids. Returns them. Returns none if one of them was changed
    /// since, or if another contact now has an id.
    std::vector<ContactId> restore(ImportedChange change)
    {
        Group group;
        std::vector<ContactId> restored;
        if (!gather(group, std::move(change))) return restored;
        // All of them first: two may have exchanged theirs.
        for (const auto& member : group)
            if (member.current.externalIds != member.before.externalIds)
                removeExternalIds(_scope.transaction, _scope.tenant, member.current.id);
        for (const auto& member : group)
        {
            putBack(member);
            restored.push_back(member.current.id);
        }
        return restored;
    }

private:
    struct Member
    {
        ImportedChange change;
        Contact current;
        Contact before;
    };
    using Group = std::vector<Member>;

    bool gather(Group& group, ImportedChange change)
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
            auto member = group.size() < maxTogether ? memberOf(std::move(next)) : std::nullopt;
            if (!member) return false;
            for (const auto& external : member->before.externalIds)
            {
                const auto holder = holderOf(external);
                if (!holder || *holder == member->current.id || isIn(*holder)) continue;
                auto theirs = importChangeTable.find(_scope.transaction, _scope.tenant, _scope.state.importId, *holder);
                if (!theirs || !theirs->documentBefore) return false;
                open.push_back(*std::move(theirs));
            }
            group.push_back(*std::move(member));
        }
        return true;
    }

    /// A merge and its undo change the version of a note, but not its time.
    void checkNotes(const std::vector<std::string>& contacts)
    {
        const auto [first, last] = idsMadeBy(_scope.state.importId, NoteId::prefix);
        const InList edited("SELECT DISTINCT contact_id FROM note WHERE organization_id = $1 AND note_id >= $2 AND note_id <= $3 "
                            "AND updated_at <> created_at AND contact_id IN {}",
                            3);
        edited.query(_scope.transaction, {_scope.tenant, first, last}, contacts, [&](Row row) { _changed.insert(row.get<ContactId>(0)); });
    }

    /// An import places cards without a value. The pipeline is locked, so the cards stay unchanged until the transaction ends.
    void checkCards(const std::vector<ContactId>& contacts)
    {
        const auto& pipelineId = _scope.stage->pipeline.pipelineId;
        std::set<ContactId> unchanged;
        for (const auto& move : standingMoves(_scope.transaction, _scope.tenant, contacts))
        {
            if (move.pipelineId != pipelineId) continue;
            // Later moves replace earlier ones.
            if (move.source == MoveSource::Import && move.toStageId == _scope.stage->stageId)
                unchanged.insert(move.contactId);
            else
                unchanged.erase(move.contactId);
        }
        for (const auto& card : cardsWithValue(_scope, contacts))
            if (card.pipelineId == pipelineId) unchanged.erase(card.contactId);
        for (const auto& id : contacts)
            if (!unchanged.contains(id)) _changed.insert(id);
    }

    /// Returns the member if its contact, and what the import added to it, was not changed since.
    std::optional<Member> memberOf(ImportedChange change)
    {
        if (!_checked.contains(change.contactId)) check({change});
        if (_changed.contains(change.contactId)) return std::nullopt;
        auto current = _scope.tools.contacts.load(_scope.transaction, _scope.tenant, change.contactId);
        if (!current || current->version != change.versionAfter) return std::nullopt;
        Contact before = *change.documentBefore;
        dropUndefined(before.customFields, customFields(_scope.transaction, _scope.tenant));
        return Member{std::move(change), *std::move(current), std::move(before)};
    }

    std::optional<ContactId> holderOf(const ExternalId& external)
    {
        return _scope.transaction.value<ContactId>(
            "SELECT contact_id FROM contact_external_id WHERE organization_id = $1 AND system = $2 AND external_id = $3", _scope.tenant,
            external.system, external.id);
    }

    void putBack(const Member& member)
    {
        const auto& id = member.current.id;
        if (member.current.version != member.before.version)
        {
            if (member.current.photoAttachmentId != member.before.photoAttachmentId) removePhoto(*member.current.photoAttachmentId);
            Contact before = member.before;
            before.version = member.current.version + 1;
            before.updatedAt = _scope.now;
            _scope.tools.contacts.update(_scope.transaction, _scope.tenant, member.current, before);
            _scope.tools.keepers.restored(_scope.transaction, _scope.tenant, id, member.before.version, before.version);
        }
        removeNotes(id);
        if (member.change.placed && _scope.stage) _scope.place(id, std::nullopt);
        importChangeTable.erase(_scope.transaction, _scope.tenant, _scope.state.importId, id);
    }

    void removePhoto(const AttachmentId& id)
    {
        const auto photo = attachmentTable.findForUpdate(_scope.transaction, _scope.tenant, id);
        if (!photo) return;
        eraseAttachment(_scope.transaction, _scope.tenant, *photo);
        releaseBlob(_scope.transaction, _scope.tenant, photo->blobKey);
    }

    void removeNotes(const ContactId& contact)
    {
        const auto [first, last] = idsMadeBy(_scope.state.importId, NoteId::prefix);
        // A writer may have changed a note after the check.
        const auto removed = _scope.transaction.execute(
            "DELETE FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id >= $3 AND note_id <= $4 "
            "AND updated_at = created_at",
            _scope.tenant, contact, first, last);
        if (removed > 0)
            _scope.transaction.execute("UPDATE contact SET note_count = note_count - $3 WHERE organization_id = $1 AND id = $2",
                                       _scope.tenant, contact, removed);
    }

    const ImportScope& _scope;
    /// Contacts that `check` has looked at, and those of them that must be kept.
    std::set<ContactId> _checked;
    std::set<ContactId> _changed;
};

class Undo
{
public:
    Undo(const ImportScope& scope, UndoMode mode) : _scope(scope), _mode(mode), _restore(scope) {}

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
    /// Restores in reverse order, so that external ids are free before they are restored.
    void restoreSome(std::int64_t before)
    {
        const auto changes = importChangeTable.select(_scope.tenant)
                                 .where(&ImportedChange::importId, _scope.state.importId)
                                 .where("file_row < ? AND document_before IS NOT NULL", before)
                                 .orderBy(descending(&ImportedChange::fileRow))
                                 .all(_scope.transaction, contactsPerTransaction);
        _step.next.done = changes.empty();
        if (!changes.empty()) _restore.check(changes);
        for (const auto& change : changes)
        {
            _step.next.fileRow = change.fileRow;
            if (contains(_step.restored, change.contactId)) continue;
            const auto together = _restore.restore(change);
            if (together.empty()) _step.kept.push_back(change.contactId);
            _step.restored.insert(_step.restored.end(), together.begin(), together.end());
            if (_scope.transaction.isAwaited()) break;
        }
        std::erase_if(_step.kept, [&](const ContactId& id) { return contains(_step.restored, id); });
    }

    static bool contains(const std::vector<ContactId>& ids, const ContactId& id)
    {
        return std::find(ids.begin(), ids.end(), id) != ids.end();
    }

    void deleteSome(const std::string& after)
    {
        const auto [first, last] = idsMadeBy(_scope.state.importId, ContactId::prefix);
        std::vector<ContactId> ids;
        for (Row row : _scope.transaction.query("SELECT id FROM contact WHERE organization_id = $1 AND id > $2 AND id <= $3 "
                                                "AND deleted_at IS NULL ORDER BY id LIMIT $4",
                                                _scope.tenant, after.empty() ? first : after, last, contactsPerTransaction))
            ids.push_back(row.get<ContactId>(0));
        _step.next.deletesDone = ids.empty();
        // An import places cards without a value. The history does not show values.
        std::set<ContactId> valued;
        for (const auto& card : cardsWithValue(_scope, ids)) valued.insert(card.contactId);
        for (const auto& id : ids)
        {
            if (!valued.contains(id) && remove(id))
                ++_step.deleted;
            else
                _step.kept.push_back(id);
            _step.next.contactId = id.text();
            if (_scope.transaction.isAwaited()) break;
        }
    }

    bool remove(const ContactId& id)
    {
        auto contact = _scope.tools.contacts.load(_scope.transaction, _scope.tenant, id);
        if (!contact || !isAsItWasMade(*contact)) return false;
        if (_mode == UndoMode::AsIfNeverMade)
            _scope.tools.contacts.erase(_scope.transaction, _scope.tenant, id, _scope.tools.keepers);
        else
        {
            contact->deletedAt = contact->updatedAt = _scope.now;
            ++contact->version;
            _scope.tools.contacts.markDeleted(_scope.transaction, _scope.tenant, *contact);
        }
        importChangeTable.erase(_scope.transaction, _scope.tenant, _scope.state.importId, id);
        return true;
    }

    bool isAsItWasMade(const Contact& contact)
    {
        // Most imports change no contact twice.
        if (contact.version != 1)
        {
            const auto change = importChangeTable.find(_scope.transaction, _scope.tenant, _scope.state.importId, contact.id);
            if (!change || contact.version != change->versionAfter) return false;
        }
        const auto counts = contact.counts.value_or(ContactCounts{});
        // A photo that came with it is its only file.
        const std::int64_t files = contact.photoAttachmentId ? 1 : 0;
        return counts.attachments == files && (counts.notes == 0 || counts.notes == untouchedNotes(contact.id)) &&
               (!contact.pipelines || contact.pipelines->empty() || !wasMoved(contact.id));
    }

    bool wasMoved(const ContactId& contact)
    {
        const auto moves = standingMoves(_scope.transaction, _scope.tenant, {contact});
        return std::any_of(moves.begin(), moves.end(), [](const HistoryEntry& move) { return move.source != MoveSource::Import; });
    }

    /// Counts notes of this import that were not changed.
    std::int64_t untouchedNotes(const ContactId& contact)
    {
        const auto [first, last] = idsMadeBy(_scope.state.importId, NoteId::prefix);
        return _scope.transaction
            .value<std::int64_t>("SELECT count(*) FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id >= $3 "
                                 "AND note_id <= $4 AND updated_at = created_at",
                                 _scope.tenant, contact, first, last)
            .value_or(0);
    }

    const ImportScope& _scope;
    const UndoMode _mode;
    ImportRestore _restore;
    UndoStep _step;
};

} // namespace

UndoStep undoSome(ImportScope scope, const UndoCursor& from, UndoMode mode)
{
    scope.holdStage();
    return Undo(scope, mode).run(from);
}

} // namespace portico::crm
