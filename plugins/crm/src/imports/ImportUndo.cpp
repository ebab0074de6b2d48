#include "imports/ImportUndo.h"

#include "contacts/ContactLists.h"
#include "fields/CustomValues.h"
#include "imports/ImportIds.h"
#include "imports/ImportStage.h"

namespace portico::crm
{

namespace
{

constexpr std::int64_t contactsPerTransaction = 200;

class Undo
{
public:
    Undo(const ImportTools& tools, Transaction& transaction, std::string_view organizationId, const ImportRecord& record, UndoMode mode)
        : _tools(tools),
          _transaction(transaction),
          _organizationId(organizationId),
          _record(record),
          _mode(mode),
          _stage(holdStage(tools, transaction, organizationId, record.options))
    {
    }

    UndoStep run(const UndoCursor& from)
    {
        _step.next = from;
        if (from.changesDone)
            deleteSome(from.contactId);
        else
            restoreSome(from.contactId);
        return std::move(_step);
    }

private:
    void restoreSome(const std::string& after)
    {
        const auto changes = _tools.imports.changes(_transaction, _organizationId, _record.importId, after, contactsPerTransaction);
        if (changes.empty()) _step.next = {true, false, {}};
        for (const auto& change : changes)
        {
            if (restore(change))
                ++_step.restored;
            else
                _step.kept.push_back(change.contactId);
            _step.next.contactId = change.contactId.text();
        }
    }

    bool restore(const ImportedChange& change)
    {
        const auto current = _tools.contacts.load(_transaction, _organizationId, change.contactId);
        if (!current || current->version != change.versionAfter) return false;
        Contact before = *change.documentBefore;
        if (current->version != before.version)
        {
            dropUndefined(before.customFields, _tools.fields.all(_transaction, _organizationId));
            if (takenExternalId(_transaction, _organizationId, before)) return false;
            before.version = current->version + 1;
            before.updatedAt = now();
            _tools.contacts.update(_transaction, _organizationId, *current, before);
        }
        removeNotes(change.contactId);
        if (change.placed) takeOffBoard(change.contactId);
        _tools.imports.forgetChange(_transaction, _organizationId, _record.importId, change.contactId);
        return true;
    }

    void removeNotes(const ContactId& contact)
    {
        const auto [first, last] = idsMadeBy(_record.importId, NoteId::prefix);
        const auto removed =
            _transaction.execute("DELETE FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id >= $3 AND note_id <= $4",
                                 _organizationId, contact, first, last);
        if (removed > 0)
            _transaction.execute("UPDATE contact SET note_count = note_count - $3 WHERE organization_id = $1 AND id = $2", _organizationId,
                                 contact, removed);
    }

    /// A card that somebody has moved since stays.
    void takeOffBoard(const ContactId& contact)
    {
        if (!_stage) return;
        const auto card = _stage->cards.find(_transaction, _organizationId, _stage->pipeline.pipelineId, contact);
        if (!card || card->stageId != _stage->stageId) return;
        Placement placement;
        placement.contactId = contact;
        placement.movedBy = _record.createdBy;
        placement.source = MoveSource::Import;
        _stage->service.placeOnStage(_transaction, _organizationId, _stage->pipeline, placement);
    }

    void deleteSome(const std::string& after)
    {
        const auto [first, last] = idsMadeBy(_record.importId, ContactId::prefix);
        std::vector<ContactId> ids;
        for (Row row : _transaction.query("SELECT id FROM contact WHERE organization_id = $1 AND id > $2 AND id <= $3 "
                                          "AND deleted_at IS NULL ORDER BY id LIMIT $4",
                                          _organizationId, after.empty() ? first : after, last, contactsPerTransaction))
            ids.push_back(row.get<ContactId>(0));
        _step.next.done = ids.empty();
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
        auto contact = _tools.contacts.load(_transaction, _organizationId, id);
        if (!contact || !isAsItWasMade(*contact)) return false;
        if (_mode == UndoMode::AsIfNeverMade)
            _tools.contacts.erase(_transaction, _organizationId, id);
        else
        {
            contact->deletedAt = contact->updatedAt = now();
            ++contact->version;
            _tools.contacts.markDeleted(_transaction, _organizationId, *contact);
        }
        _tools.imports.forgetChange(_transaction, _organizationId, _record.importId, id);
        return true;
    }

    bool isAsItWasMade(const Contact& contact)
    {
        // Most imports change no contact twice.
        const auto version =
            contact.version == 1 ? 1 : _tools.imports.versionAfter(_transaction, _organizationId, _record.importId, contact.id).value_or(1);
        if (contact.version != version) return false;
        const auto counts = contact.counts.value_or(ContactCounts{});
        return counts.attachments == 0 && (counts.notes == 0 || counts.notes == untouchedNotes(contact.id)) &&
               (!contact.pipelines || contact.pipelines->empty() || !wasMoved(contact.id));
    }

    bool wasMoved(const ContactId& contact)
    {
        return _transaction
            .value<std::int64_t>("SELECT 1 FROM pipeline_history WHERE organization_id = $1 AND contact_id = $2 AND source <> $3 LIMIT 1",
                                 _organizationId, contact, word(MoveSource::Import))
            .has_value();
    }

    /// Notes of this import that nobody has changed.
    std::int64_t untouchedNotes(const ContactId& contact)
    {
        const auto [first, last] = idsMadeBy(_record.importId, NoteId::prefix);
        return _transaction
            .value<std::int64_t>("SELECT count(*) FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id >= $3 "
                                 "AND note_id <= $4 AND version = 1",
                                 _organizationId, contact, first, last)
            .value_or(0);
    }

    Instant now() const { return _tools.context.clock().now(); }

    const ImportTools& _tools;
    Transaction& _transaction;
    const std::string_view _organizationId;
    const ImportRecord& _record;
    const UndoMode _mode;
    const std::optional<ImportStage> _stage;
    UndoStep _step;
};

} // namespace

UndoStep undoSome(const ImportTools& tools, Transaction& transaction, std::string_view organizationId, const ImportRecord& record,
                  const UndoCursor& from, UndoMode mode)
{
    return Undo(tools, transaction, organizationId, record, mode).run(from);
}

} // namespace portico::crm
