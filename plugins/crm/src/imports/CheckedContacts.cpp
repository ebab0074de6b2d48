#include "imports/CheckedContacts.h"

#include "contacts/ContactRow.h"
#include "text/Folding.h"

#include "portico/Json.h"

#include <algorithm>
#include <iterator>

namespace portico::crm
{

namespace
{

constexpr std::string_view emailKind = "email", phoneKind = "phone", externalKind = "external", nameKind = "name";

/// Tables in which contacts that are not deleted are found by $3 (and $4).
std::string_view sourceOf(std::string_view kind)
{
    if (kind == emailKind)
        return "contact_email k JOIN contact c ON c.organization_id = k.organization_id AND c.id = k.contact_id "
               "WHERE k.organization_id = $1 AND k.address = $3";
    if (kind == phoneKind)
        return "contact_phone k JOIN contact c ON c.organization_id = k.organization_id AND c.id = k.contact_id "
               "WHERE k.organization_id = $1 AND k.number = $3";
    if (kind == externalKind)
        return "contact_external_id k JOIN contact c ON c.organization_id = k.organization_id AND c.id = k.contact_id "
               "WHERE k.organization_id = $1 AND k.external_id = $3 AND k.system = $5";
    return "contact c WHERE c.organization_id = $1 AND c.sort_name = $3";
}

std::string externalText(std::string_view system, std::string_view id) { return std::string(system) + '\n' + std::string(id); }

} // namespace

bool CheckedContacts::Found::operator<(const Found& other) const
{
    if (createdAt && other.createdAt && *createdAt != *other.createdAt) return *createdAt < *other.createdAt;
    if (createdAt.has_value() != other.createdAt.has_value()) return createdAt.has_value();
    return id < other.id;
}

std::vector<CheckedContacts::Found> CheckedContacts::search(std::string_view kind, const std::string& text, std::string_view system,
                                                            std::int64_t limit)
{
    std::vector<Found> found;
    const auto take = [&](Rows rows)
    {
        for (Row row : rows) found.push_back({row.get<ContactId>(0), row.get<std::optional<Instant>>(1)});
    };
    std::string untouched = "SELECT c.id, c.created_at FROM ";
    untouched += sourceOf(kind);
    untouched += " AND c.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM import_contact i WHERE i.organization_id = $1 "
                 "AND i.import_id = $2 AND i.contact_id = c.id) ORDER BY c.created_at, c.id LIMIT $4";
    auto& session = _scope.transaction;
    if (kind == externalKind)
        take(session.query(untouched, _scope.organizationId, _scope.importId, text, limit, system));
    else
        take(session.query(untouched, _scope.organizationId, _scope.importId, text, limit));
    take(session.query("SELECT k.contact_id, c.created_at FROM import_key k LEFT JOIN contact c ON c.organization_id = k.organization_id "
                       "AND c.id = k.contact_id WHERE k.organization_id = $1 AND k.import_id = $2 AND k.kind = $3 AND k.key_text = $4 "
                       "ORDER BY c.created_at IS NULL, c.created_at, k.contact_id LIMIT $5",
                       _scope.organizationId, _scope.importId, kind, kind == externalKind ? externalText(system, text) : text, limit));
    std::sort(found.begin(), found.end());
    if (found.size() > static_cast<std::size_t>(limit)) found.resize(static_cast<std::size_t>(limit));
    return found;
}

std::optional<ContactId> CheckedContacts::find(const ImportMatchKey& key)
{
    const auto kind = key.kind == ImportKey::Email ? emailKind : key.kind == ImportKey::Phone ? phoneKind : externalKind;
    const auto found = search(kind, key.text, key.system, 1);
    if (found.empty()) return std::nullopt;
    return found.front().id;
}

std::vector<ContactId> CheckedContacts::alike(const Contact& contact)
{
    std::vector<ContactId> ids;
    const auto append = [&](const std::vector<Found>& found)
    {
        for (const auto& each : found)
            if (std::find(ids.begin(), ids.end(), each.id) == ids.end()) ids.push_back(each.id);
    };
    for (const auto& phone : contact.phones) append(search(phoneKind, phoneKey(phone), {}, mostAlike));
    if (contact.phones.empty()) append(search(nameKind, fold(contact.displayName), {}, mostAlike));
    return ids;
}

std::optional<Contact> CheckedContacts::load(const ContactId& id)
{
    auto row = _scope.transaction.one<ContactRow>("SELECT document, 0 AS note_count, 0 AS attachment_count FROM import_contact "
                                                  "WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3",
                                                  _scope.organizationId, _scope.importId, id);
    if (row) return std::move(row->document);
    return _stored.load(id);
}

bool CheckedContacts::hasNote(const ContactId& id, std::string_view body)
{
    const auto added = notesOf(id);
    return std::find(added.begin(), added.end(), body) != added.end() || _stored.hasNote(id, body);
}

bool CheckedContacts::isPlaced(const ContactId& id)
{
    // Whatever this import would make or change, it would also place.
    const auto touched = _scope.transaction.value<std::int64_t>(
        "SELECT 1 FROM import_contact WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3", _scope.organizationId,
        _scope.importId, id);
    return touched || _stored.isPlaced(id);
}

bool CheckedContacts::meet(const ContactId& id) { return markMet(_scope, "checked", id); }

void CheckedContacts::insert(const Contact& contact, const ImportExtras& extras)
{
    write(contact, extras.notes);
    writeKeys(contact);
}

void CheckedContacts::update(const Contact&, const Contact& after, const ImportExtras& extras)
{
    auto notes = notesOf(after.id);
    notes.insert(notes.end(), extras.notes.begin(), extras.notes.end());
    write(after, notes);
    _scope.transaction.execute("DELETE FROM import_key WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3",
                               _scope.organizationId, _scope.importId, after.id);
    writeKeys(after);
}

void CheckedContacts::write(const Contact& contact, const std::vector<std::string>& notes)
{
    Contact document = contact;
    document.pipelines.reset();
    document.counts.reset();
    _scope.transaction.execute("INSERT INTO import_contact (organization_id, import_id, contact_id, document, notes) "
                               "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (organization_id, import_id, contact_id) DO UPDATE SET "
                               "document = excluded.document, notes = excluded.notes",
                               _scope.organizationId, _scope.importId, contact.id, toJson(document), toJson(notes));
}

void CheckedContacts::writeKeys(const Contact& contact)
{
    for (const auto& key : keysOf(contact, {ImportKey::Email})) writeKey(contact.id, emailKind, key.text);
    for (const auto& key : keysOf(contact, {ImportKey::Phone})) writeKey(contact.id, phoneKind, key.text);
    for (const auto& external : contact.externalIds) writeKey(contact.id, externalKind, externalText(external.system, external.id));
    writeKey(contact.id, nameKind, fold(contact.displayName));
}

void CheckedContacts::writeKey(const ContactId& id, std::string_view kind, const std::string& text)
{
    _scope.transaction.execute("INSERT INTO import_key (organization_id, import_id, kind, key_text, contact_id) "
                               "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                               _scope.organizationId, _scope.importId, kind, text, id);
}

std::vector<std::string> CheckedContacts::notesOf(const ContactId& id)
{
    const auto text = _scope.transaction.value<std::string>(
        "SELECT notes FROM import_contact WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3", _scope.organizationId,
        _scope.importId, id);
    return text ? fromJson<std::vector<std::string>>(*text) : std::vector<std::string>{};
}

} // namespace portico::crm
