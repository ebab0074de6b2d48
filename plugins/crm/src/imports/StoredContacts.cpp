#include "imports/StoredContacts.h"

#include "contacts/ContactRow.h"
#include "imports/ImportIds.h"
#include "text/Folding.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

std::optional<ContactId> firstOf(Rows rows)
{
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return row->get<ContactId>(0);
}

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

std::optional<ContactId> StoredContacts::find(const ImportMatchKey& key)
{
    auto& session = _scope.transaction;
    const auto& [first, last] = _made;
    switch (key.kind)
    {
    case ImportKey::Email:
        return firstOf(session.query("SELECT c.id FROM contact_email e JOIN contact c ON c.organization_id = e.organization_id "
                                     "AND c.id = e.contact_id WHERE e.organization_id = $1 AND e.address = $2 AND c.deleted_at IS NULL "
                                     "ORDER BY c.id >= $3 AND c.id <= $4, c.created_at, c.id LIMIT 1",
                                     _scope.organizationId, key.text, first, last));
    case ImportKey::Phone:
        return firstOf(session.query("SELECT c.id FROM contact_phone p JOIN contact c ON c.organization_id = p.organization_id "
                                     "AND c.id = p.contact_id WHERE p.organization_id = $1 AND p.number = $2 AND c.deleted_at IS NULL "
                                     "ORDER BY c.id >= $3 AND c.id <= $4, c.created_at, c.id LIMIT 1",
                                     _scope.organizationId, key.text, first, last));
    case ImportKey::ExternalId:
        return firstOf(session.query("SELECT contact_id FROM contact_external_id WHERE organization_id = $1 AND system = $2 "
                                     "AND external_id = $3",
                                     _scope.organizationId, key.system, key.text));
    }
    return std::nullopt;
}

std::vector<ContactId> StoredContacts::alike(const Contact& contact)
{
    auto& session = _scope.transaction;
    const auto& [first, last] = _made;
    std::vector<ContactId> ids;
    for (const auto& phone : contact.phones)
        append(ids, session.query("SELECT c.id FROM contact_phone p JOIN contact c ON c.organization_id = p.organization_id "
                                  "AND c.id = p.contact_id WHERE p.organization_id = $1 AND p.number = $2 AND c.deleted_at IS NULL "
                                  "ORDER BY c.id >= $4 AND c.id <= $5, c.created_at, c.id LIMIT $3",
                                  _scope.organizationId, phoneKey(phone), mostAlike, first, last));
    if (contact.phones.empty())
        append(ids, session.query("SELECT c.id FROM contact c WHERE c.organization_id = $1 AND c.sort_name = $2 "
                                  "AND c.deleted_at IS NULL ORDER BY c.id >= $4 AND c.id <= $5, c.created_at, c.id LIMIT $3",
                                  _scope.organizationId, fold(contact.displayName), mostAlike, first, last));
    return ids;
}

std::optional<Contact> StoredContacts::load(const ContactId& id)
{
    return _scope.contacts.load(_scope.transaction, _scope.organizationId, id);
}

bool StoredContacts::hasNote(const ContactId& id, std::string_view body)
{
    return _scope.transaction
        .value<std::int64_t>("SELECT 1 FROM note WHERE organization_id = $1 AND contact_id = $2 AND body = $3 LIMIT 1",
                             _scope.organizationId, id, body)
        .has_value();
}

bool StoredContacts::isPlaced(const ContactId& id)
{
    return _scope.stage && _scope.stage->cards.find(_scope.transaction, _scope.organizationId, _scope.stage->pipeline.pipelineId, id);
}

bool StoredContacts::meet(const ContactId& id) { return markMet(_scope, "met", id); }

void StoredContacts::insert(const Contact& contact, const ImportExtras& extras)
{
    try
    {
        _scope.contacts.insert(_scope.transaction, _scope.organizationId, contact);
    }
    catch (const Problem&) // its external ids were free when they were looked at
    {
        throw ImportRace();
    }
    add(contact.id, extras);
}

void StoredContacts::update(const Contact& before, const Contact& after, const ImportExtras& extras)
{
    ImportedChange change{after.id, extras.fileRow, after.version, extras.place && _scope.stage, std::nullopt};
    if (!isMadeBy(_scope.importId, after.id)) change.documentBefore = documentOf(before);
    _scope.imports.recordChange(_scope.transaction, _scope.organizationId, _scope.importId, change);
    try
    {
        if (after.version != before.version) _scope.contacts.update(_scope.transaction, _scope.organizationId, before, after);
    }
    catch (const Problem&)
    {
        throw ImportRace();
    }
    add(after.id, extras);
}

void StoredContacts::add(const ContactId& id, const ImportExtras& extras)
{
    if (extras.photo && *extras.photo) _scope.attachments.attach(_scope.transaction, _scope.organizationId, id, **extras.photo);
    addNotes(id, extras);
    if (!extras.place || !_scope.stage) return;
    Placement placement;
    placement.contactId = id;
    placement.stageId = _scope.stage->stageId;
    placement.lostReason = "import";
    placement.movedBy = _scope.userId;
    placement.source = MoveSource::Import;
    _scope.stage->service.placeOnStage(_scope.transaction, _scope.organizationId, _scope.stage->pipeline, placement);
}

void StoredContacts::addNotes(const ContactId& id, const ImportExtras& extras)
{
    std::int64_t index = 0;
    for (const auto& body : extras.notes)
    {
        Note note;
        note.noteId = noteIdOf(_scope.importId, extras.fileRow, index++);
        note.contactId = id;
        note.body = body;
        note.format = NoteFormat::Plain;
        note.createdAt = note.updatedAt = _scope.now;
        note.createdBy = note.updatedBy = _scope.userId;
        _scope.notes.insert(_scope.transaction, _scope.organizationId, note);
    }
}

bool markMet(const ImportScope& scope, std::string_view kind, const ContactId& id)
{
    return scope.transaction.execute("INSERT INTO import_key (organization_id, import_id, kind, key_text, contact_id) "
                                     "VALUES ($1, $2, $3, $4, '') ON CONFLICT DO NOTHING",
                                     scope.organizationId, scope.importId, kind, id) > 0;
}

} // namespace portico::crm
