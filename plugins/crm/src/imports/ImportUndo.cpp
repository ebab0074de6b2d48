#include "imports/ImportUndo.h"

#include "imports/ImportIds.h"
#include "imports/ImportRestore.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::int64_t contactsPerTransaction = 200;

class Undo
{
public:
    Undo(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportRecord& record, UndoMode mode)
        : _tools(tools),
          _transaction(transaction),
          _tenant(tenant),
          _record(record),
          _mode(mode),
          _stage(holdStage(tools, transaction, tenant, record.options)),
          _restore(tools, transaction, tenant, record, _stage ? &*_stage : nullptr)
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
        const auto changes = _tools.imports.changes(_transaction, _tenant, _record.importId, before, contactsPerTransaction);
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
        const auto [first, last] = idsMadeBy(_record.importId, ContactId::prefix);
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
        _tools.imports.forgetChange(_transaction, _tenant, _record.importId, id);
        return true;
    }

    bool isAsItWasMade(const Contact& contact)
    {
        // Most imports change no contact twice.
        const auto version =
            contact.version == 1 ? 1 : _tools.imports.versionAfter(_transaction, _tenant, _record.importId, contact.id).value_or(1);
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
        const auto [first, last] = idsMadeBy(_record.importId, NoteId::prefix);
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
    const ImportRecord& _record;
    const UndoMode _mode;
    const std::optional<ImportStage> _stage;
    ImportRestore _restore;
    UndoStep _step;
};

} // namespace

UndoStep undoSome(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportRecord& record, const UndoCursor& from,
                  UndoMode mode)
{
    return Undo(tools, transaction, tenant, record, mode).run(from);
}

} // namespace portico::crm
