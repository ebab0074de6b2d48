#include "imports/DatabaseContacts.h"

#include "contacts/ContactRow.h"
#include "data/InList.h"
#include "data/ManyRows.h"
#include "imports/ImportIds.h"
#include "text/Folding.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <iterator>

namespace portico::crm
{

namespace
{

/// Kind of the marks on contacts from before that a row has met.
constexpr std::string_view met = "met";

void append(std::vector<ContactId>& ids, Rows rows)
{
    for (Row row : rows)
        if (auto id = row.get<ContactId>(0); std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
}

/// Without what stands beside the document.
Contact documentOf(Contact contact)
{
    contact.pipelines.reset();
    contact.counts.reset();
    return contact;
}

} // namespace

ImportTables::Found DatabaseContacts::findAll(const std::set<ImportMatchKey>& keys)
{
    OldestFound found(_scope.importId);
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

std::set<std::string> DatabaseContacts::knownNames(const std::set<std::string>& names)
{
    std::set<std::string> known;
    const InList list("SELECT DISTINCT sort_name FROM contact WHERE organization_id = $1 AND deleted_at IS NULL AND sort_name IN {}", 1);
    list.query(_scope.transaction, {_scope.tenant}, {names.begin(), names.end()}, [&](Row row) { known.insert(row.get<std::string>(0)); });
    return known;
}

std::set<ContactId> DatabaseContacts::knownMet(const std::set<ContactId>& ids) { return markedMet(_scope, met, ids); }

std::vector<ContactId> DatabaseContacts::alike(const Contact& contact)
{
    auto& session = _scope.transaction;
    const auto& [first, last] = _made;
    std::vector<ContactId> ids;
    for (const auto& phone : contact.phones)
        append(ids, session.query("SELECT c.id FROM contact_phone p JOIN contact c ON c.organization_id = p.organization_id "
                                  "AND c.id = p.contact_id WHERE p.organization_id = $1 AND p.number = $2 AND c.deleted_at IS NULL "
                                  "ORDER BY CASE WHEN c.id >= $4 AND c.id <= $5 THEN 1 ELSE 0 END, CASE WHEN c.id >= $4 AND c.id <= $5 "
                                  "THEN 0 ELSE c.created_at END, c.id LIMIT $3",
                                  _scope.tenant, phoneKey(phone), mostAlike, first, last));
    if (contact.phones.empty())
        append(ids, session.query("SELECT c.id FROM contact c WHERE c.organization_id = $1 AND c.sort_name = $2 "
                                  "AND c.deleted_at IS NULL ORDER BY CASE WHEN c.id >= $4 AND c.id <= $5 THEN 1 ELSE 0 END, CASE WHEN c.id "
                                  ">= $4 AND c.id <= $5 THEN 0 ELSE c.created_at END, c.id LIMIT $3",
                                  _scope.tenant, fold(contact.displayName), mostAlike, first, last));
    return ids;
}

std::optional<Contact> DatabaseContacts::load(const ContactId& id)
{
    return _scope.readsOnly ? _scope.contacts.read(_scope.transaction, _scope.tenant, id)
                            : _scope.contacts.load(_scope.transaction, _scope.tenant, id);
}

bool DatabaseContacts::hasNote(const ContactId& id, std::string_view body)
{
    return noteRows.select(tenant()).where(&Note::contactId, id).where("body = ?", body).exists(_scope.transaction);
}

bool DatabaseContacts::isPlaced(const ContactId& id)
{
    return _scope.stage && cardTable.find(_scope.transaction, _scope.tenant, _scope.stage->pipeline.pipelineId, id);
}

bool DatabaseContacts::meet(const ContactId& id) { return markMet(_scope, met, {id}) > 0; }

void DatabaseContacts::meetAll(const std::vector<ContactId>& ids) { markMet(_scope, met, ids); }

void DatabaseContacts::insertAll(std::vector<NewImported>& made)
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
        _scope.contacts.insertAll(_scope.transaction, _scope.tenant, contacts);
    }
    catch (const Problem&) // their external ids were free when they were looked at
    {
        throw ImportRace();
    }
    noteRows.insertMany(_scope.transaction, tenant(), notes);
}

void DatabaseContacts::insert(Contact contact, ImportExtras extras)
{
    try
    {
        _scope.contacts.insert(_scope.transaction, _scope.tenant, contact);
    }
    catch (const Problem&) // its external ids were free when they were looked at
    {
        throw ImportRace();
    }
    add(contact.id, extras);
}

void DatabaseContacts::update(const Contact& before, const Contact& after, const ImportExtras& extras)
{
    ImportedChange change{after.id, extras.fileRow, after.version, extras.place && _scope.stage, std::nullopt};
    if (!isMadeBy(_scope.importId, after.id)) change.documentBefore = documentOf(before);
    _scope.imports.recordChange(_scope.transaction, _scope.tenant, _scope.importId, change);
    try
    {
        if (after.version != before.version) _scope.contacts.update(_scope.transaction, _scope.tenant, before, after);
    }
    catch (const Problem&)
    {
        throw ImportRace();
    }
    add(after.id, extras);
}

void DatabaseContacts::add(const ContactId& id, const ImportExtras& extras)
{
    if (extras.photo && *extras.photo) _scope.attachments.attach(_scope.transaction, _scope.tenant, id, **extras.photo);
    for (const auto& note : notesOf(id, extras)) addNote(_scope.transaction, tenant(), note);
    if (!extras.place || !_scope.stage) return;
    Placement placement;
    placement.contactId = id;
    placement.stageId = _scope.stage->stageId;
    placement.lostReason = "import";
    placement.movedBy = _scope.userId;
    placement.source = MoveSource::Import;
    _scope.stage->service.placeOnStage(_scope.transaction, _scope.tenant, _scope.stage->pipeline, placement);
}

std::vector<Note> DatabaseContacts::notesOf(const ContactId& id, const ImportExtras& extras) const
{
    std::vector<Note> notes;
    for (const auto& body : extras.notes)
    {
        Note note;
        note.noteId = noteIdOf(_scope.importId, extras.fileRow, static_cast<std::int64_t>(notes.size()));
        note.contactId = id;
        note.body = body;
        note.format = NoteFormat::Plain;
        note.createdAt = note.updatedAt = _scope.now;
        note.createdBy = note.updatedBy = _scope.userId;
        notes.push_back(std::move(note));
    }
    return notes;
}

std::int64_t markMet(const ImportScope& scope, std::string_view kind, const std::vector<ContactId>& ids)
{
    ManyRows rows("import_key (organization_id, import_id, kind, key_text, contact_id)", 5, "ON CONFLICT DO NOTHING");
    for (const auto& id : ids) rows.add(scope.tenant, scope.importId, kind, id, "");
    return rows.write(scope.transaction);
}

std::set<ContactId> markedMet(const ImportScope& scope, std::string_view kind, const std::set<ContactId>& ids)
{
    std::vector<std::string> texts;
    for (const auto& id : ids) texts.push_back(id.text());
    std::set<ContactId> marked;
    const InList list("SELECT key_text FROM import_key WHERE organization_id = $1 AND import_id = $2 AND kind = $3 AND contact_id = '' "
                      "AND key_text IN {}",
                      3);
    list.query(scope.transaction, {scope.tenant, scope.importId, kind}, texts, [&](Row row) { marked.insert(row.get<ContactId>(0)); });
    return marked;
}

} // namespace portico::crm
