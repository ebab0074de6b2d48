#include "imports/ImportTables.h"

#include "contacts/ContactRow.h"
#include "data/InList.h"
#include "imports/ImportIds.h"
#include "imports/ImportStore.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <iterator>

namespace portico::crm
{

namespace
{

/// Kind of the marks on contacts from before that a row has met.
constexpr std::string_view metKind = "met";

void append(std::vector<ContactId>& ids, Rows rows)
{
    for (Row row : rows)
        if (auto id = row.get<ContactId>(0); std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
}

/// Removes members that answers add to the stored document.
Contact documentOf(Contact contact)
{
    contact.pipelines.reset();
    contact.counts.reset();
    return contact;
}

/// The contacts themselves.
class DatabaseContacts final : public ImportTables
{
public:
    explicit DatabaseContacts(const ImportScope& scope) : _scope(scope), _made(idsMadeBy(scope.importId(), ContactId::prefix)) {}

    Found find(const std::set<ImportMatchKey>& keys) override
    {
        OldestFound found(_scope.importId());
        const auto ask = [&](ImportKey kind, std::string_view query)
        {
            forEachSystem(keys, kind,
                          [&](const std::string& system, const std::vector<std::string>& texts)
                          {
                              std::vector<SqlValue> first{_scope.tenant};
                              if (kind == ImportKey::ExternalId) first.emplace_back(system);
                              InList(query, first.size())
                                  .query(_scope.transaction, first, texts,
                                         [&](Row row) {
                                             found.add({kind, row.get<std::string>(0), system}, row.get<ContactId>(1), row.get<Instant>(2));
                                         });
                          });
        };
        ask(ImportKey::Email,
            "SELECT k.address, c.id, c.created_at FROM contact_email k JOIN contact c ON c.organization_id = k.organization_id "
            "AND c.id = k.contact_id WHERE k.organization_id = $1 AND k.address IN {} AND c.deleted_at IS NULL");
        ask(ImportKey::Phone,
            "SELECT k.number, c.id, c.created_at FROM contact_phone k JOIN contact c ON c.organization_id = k.organization_id "
            "AND c.id = k.contact_id WHERE k.organization_id = $1 AND k.number IN {} AND c.deleted_at IS NULL");
        ask(ImportKey::ExternalId, "SELECT external_id, contact_id, 0 FROM contact_external_id WHERE organization_id = $1 AND system = $2 "
                                   "AND external_id IN {}");
        return std::move(found).take();
    }

    std::set<std::string> knownNames(const std::set<std::string>& names) override
    {
        std::set<std::string> known;
        const InList list("SELECT DISTINCT sort_name FROM contact WHERE organization_id = $1 AND deleted_at IS NULL AND sort_name IN {}",
                          1);
        list.query(_scope.transaction, {_scope.tenant}, {names.begin(), names.end()},
                   [&](Row row) { known.insert(row.get<std::string>(0)); });
        return known;
    }

    std::set<ContactId> met(const std::set<ContactId>& ids) override { return markedMet(_scope, metKind, ids); }

    std::int64_t meet(const std::vector<ContactId>& ids) override { return markMet(_scope, metKind, ids); }

    void insert(std::vector<NewImported>& made) override
    {
        std::vector<const Contact*> contacts;
        std::vector<Note> notes;
        for (auto& [contact, extras] : made)
        {
            auto theirs = notesOf(contact.id, extras);
            contact.counts = ContactCounts{static_cast<std::int64_t>(theirs.size()), 0};
            std::move(theirs.begin(), theirs.end(), std::back_inserter(notes));
            contacts.push_back(&contact);
        }
        try
        {
            _scope.tools.contacts.insertAll(_scope.transaction, _scope.tenant, contacts);
        }
        catch (const Problem&) // their external ids were free when they were looked at
        {
            throw ImportRace();
        }
        noteRows.insertMany(_scope.transaction, _scope.tenant, notes);
        for (const auto& [contact, extras] : made) settle(contact.id, extras);
    }

    std::vector<ContactId> alike(const Contact& contact) override
    {
        auto& session = _scope.transaction;
        const auto& [first, last] = _made;
        std::vector<ContactId> ids;
        for (const auto& phone : contact.phones)
            append(ids, session.query("SELECT c.id FROM contact_phone p JOIN contact c ON c.organization_id = p.organization_id "
                                      "AND c.id = p.contact_id WHERE p.organization_id = $1 AND p.number = $2 AND c.deleted_at IS NULL "
                                      "ORDER BY CASE WHEN c.id >= $4 AND c.id <= $5 THEN 1 ELSE 0 END, CASE WHEN c.id >= $4 AND c.id <= $5 "
                                      "THEN 0 ELSE c.created_at END, c.id LIMIT $3",
                                      _scope.tenant, phoneKey(phone), maxAlike, first, last));
        if (contact.phones.empty())
            append(ids,
                   session.query("SELECT c.id FROM contact c WHERE c.organization_id = $1 AND c.sort_name = $2 "
                                 "AND c.deleted_at IS NULL ORDER BY CASE WHEN c.id >= $4 AND c.id <= $5 THEN 1 ELSE 0 END, CASE WHEN c.id "
                                 ">= $4 AND c.id <= $5 THEN 0 ELSE c.created_at END, c.id LIMIT $3",
                                 _scope.tenant, fold(contact.displayName), maxAlike, first, last));
        return ids;
    }

    std::optional<Contact> load(const ContactId& id) override
    {
        return _scope.readsOnly ? _scope.tools.contacts.read(_scope.transaction, _scope.tenant, id)
                                : _scope.tools.contacts.load(_scope.transaction, _scope.tenant, id);
    }

    bool hasNote(const ContactId& id, std::string_view body) override
    {
        return noteRows.select(_scope.tenant).where(&Note::contactId, id).where("body = ?", body).exists(_scope.transaction);
    }

    bool isPlaced(const ContactId& id) override
    {
        return _scope.stage && cardTable.find(_scope.transaction, _scope.tenant, _scope.stage->pipeline.pipelineId, id);
    }

    void update(const Contact& before, const Contact& after, const ImportExtras& extras) override
    {
        ImportedChange change{_scope.importId(), after.id, extras.fileRow, after.version, extras.place && _scope.stage, std::nullopt};
        if (!isMadeBy(_scope.importId(), after.id)) change.documentBefore = documentOf(before);
        recordChange(_scope.transaction, _scope.tenant, change);
        try
        {
            if (after.version != before.version) _scope.tools.contacts.update(_scope.transaction, _scope.tenant, before, after);
        }
        catch (const Problem&)
        {
            throw ImportRace();
        }
        for (const auto& note : notesOf(after.id, extras)) addNote(_scope.transaction, _scope.tenant, note);
        settle(after.id, extras);
    }

private:
    void settle(const ContactId& id, const ImportExtras& extras) const
    {
        if (extras.photo && *extras.photo) _scope.tools.attachments.attach(_scope.transaction, _scope.tenant, id, **extras.photo);
        if (extras.place && _scope.stage) _scope.place(id, _scope.stage->stageId);
    }

    std::vector<Note> notesOf(const ContactId& id, const ImportExtras& extras) const
    {
        std::vector<Note> notes;
        for (const auto& body : extras.notes)
        {
            Note note;
            note.noteId = noteIdOf(_scope.importId(), extras.fileRow, static_cast<std::int64_t>(notes.size()));
            note.contactId = id;
            note.body = body;
            note.format = NoteFormat::Plain;
            note.createdAt = note.updatedAt = _scope.now;
            note.createdBy = note.updatedBy = _scope.state.createdBy;
            notes.push_back(std::move(note));
        }
        return notes;
    }

    const ImportScope& _scope;
    /// Range of the ids that this import creates. They count as the youngest, regardless of the clock.
    const std::pair<std::string, std::string> _made;
};

} // namespace

std::unique_ptr<ImportTables> databaseContacts(const ImportScope& scope) { return std::make_unique<DatabaseContacts>(scope); }

} // namespace portico::crm
