#include "imports/ImportTables.h"

#include "contacts/ContactRow.h"
#include "data/InList.h"
#include "data/ManyRows.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <string>

namespace portico::crm
{

namespace
{

constexpr std::string_view emailKind = "email", phoneKind = "phone", externalKind = "external", nameKind = "name", checkedKind = "checked";

constexpr std::string_view untouched = " AND c.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM import_contact i "
                                       "WHERE i.organization_id = $1 AND i.import_id = $2 AND i.contact_id = c.id)";

std::string_view kindOf(ImportKey kind)
{
    return kind == ImportKey::Email ? emailKind : kind == ImportKey::Phone ? phoneKind : externalKind;
}

/// Returns the tables and columns that hold contacts with their keys, for a condition with a list or a single value. $3: the system of
/// external ids.
std::string_view tablesOf(std::string_view kind)
{
    if (kind == emailKind)
        return "k.address, c.id, c.created_at FROM contact_email k JOIN contact c ON c.organization_id = k.organization_id "
               "AND c.id = k.contact_id WHERE k.organization_id = $1 AND k.address";
    if (kind == phoneKind)
        return "k.number, c.id, c.created_at FROM contact_phone k JOIN contact c ON c.organization_id = k.organization_id "
               "AND c.id = k.contact_id WHERE k.organization_id = $1 AND k.number";
    if (kind == externalKind)
        return "k.external_id, c.id, c.created_at FROM contact_external_id k JOIN contact c ON c.organization_id = k.organization_id "
               "AND c.id = k.contact_id WHERE k.organization_id = $1 AND k.system = $3 AND k.external_id";
    return "c.sort_name, c.id, c.created_at FROM contact c WHERE c.organization_id = $1 AND c.sort_name";
}

/// Returns the form of a key in import_key.
std::string stored(ImportKey kind, std::string_view system, std::string_view text)
{
    return kind == ImportKey::ExternalId ? std::string(system) + '\n' + std::string(text) : std::string(text);
}

std::string textOf(std::string_view stored, std::string_view system)
{
    return std::string(system.empty() ? stored : stored.substr(system.size() + 1));
}

/// Rows for the keys of a contact that the file would make or change.
void addKeys(ManyRows& rows, const ImportScope& scope, const Contact& contact)
{
    const auto add = [&](std::string_view kind, std::string text)
    { rows.add(scope.tenant, scope.importId(), kind, rows.keep(std::move(text)), contact.id); };
    for (const auto& key : keysOf(contact, {ImportKey::Email, ImportKey::Phone, ImportKey::ExternalId}))
        add(kindOf(key.kind), stored(key.kind, key.system, key.text));
    add(nameKind, fold(contact.displayName));
}

ManyRows keyRows() { return {"import_key (organization_id, import_id, kind, key_text, contact_id)", 5, "ON CONFLICT DO NOTHING"}; }

/// Returns the document for import_contact, without members that answers add.
std::string documentTextOf(const Contact& contact)
{
    Contact document = contact;
    document.pipelines.reset();
    document.counts.reset();
    return toJson(document);
}

/// Simulates the contacts after the rows that were checked so far. Tables of the import contain the contacts that these rows would create
/// or change, and take precedence over the real ones, which are only read.
class DryRunContacts final : public ImportTables
{
public:
    explicit DryRunContacts(const ImportScope& scope) : _scope(scope), _stored(databaseContacts(scope)) {}

    Found find(const std::set<ImportMatchKey>& keys) override
    {
        OldestFound found(_scope.importId());
        for (const auto kind : {ImportKey::Email, ImportKey::Phone, ImportKey::ExternalId})
            forEachSystem(keys, kind,
                          [&](const std::string& system, const std::vector<std::string>& texts) { findKind(kind, system, texts, found); });
        return std::move(found).take();
    }

    std::set<std::string> knownNames(const std::set<std::string>& names) override
    {
        auto known = _stored->knownNames(names);
        const InList list(
            "SELECT DISTINCT key_text FROM import_key WHERE organization_id = $1 AND import_id = $2 AND kind = $3 AND key_text IN {}", 3);
        list.query(_scope.transaction, {_scope.tenant, _scope.importId(), nameKind}, {names.begin(), names.end()},
                   [&](Row row) { known.insert(row.get<std::string>(0)); });
        return known;
    }

    std::set<ContactId> met(const std::set<ContactId>& ids) override { return markedMet(_scope, checkedKind, ids); }

    std::int64_t meet(const std::vector<ContactId>& ids) override { return markMet(_scope, checkedKind, ids); }

    void insert(std::vector<NewImported>& made) override
    {
        ManyRows rows("import_contact (organization_id, import_id, contact_id, document, notes)", 5);
        auto keys = keyRows();
        for (const auto& [contact, extras] : made)
        {
            rows.add(_scope.tenant, _scope.importId(), contact.id, rows.keep(documentTextOf(contact)), rows.keep(toJson(extras.notes)));
            addKeys(keys, _scope, contact);
        }
        rows.write(_scope.transaction);
        keys.write(_scope.transaction);
    }

    std::vector<ContactId> alike(const Contact& contact) override
    {
        std::vector<ContactId> ids;
        const auto append = [&](const std::vector<ContactId>& found)
        {
            for (const auto& id : found)
                if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
        };
        for (const auto& phone : contact.phones) append(search(phoneKind, phoneKey(phone)));
        if (contact.phones.empty()) append(search(nameKind, fold(contact.displayName)));
        return ids;
    }

    std::optional<Contact> load(const ContactId& id) override
    {
        auto row = _scope.transaction.one<ContactRow>("SELECT document, 0 AS note_count, 0 AS attachment_count FROM import_contact "
                                                      "WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3",
                                                      _scope.tenant, _scope.importId(), id);
        if (row) return std::move(row->document);
        return _stored->load(id);
    }

    bool hasNote(const ContactId& id, std::string_view body) override
    {
        const auto added = notesOf(id);
        return std::find(added.begin(), added.end(), body) != added.end() || _stored->hasNote(id, body);
    }

    bool isPlaced(const ContactId& id) override
    {
        // Every contact that this import would create or change would also be placed.
        const auto touched = _scope.transaction.value<std::int64_t>(
            "SELECT 1 FROM import_contact WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3", _scope.tenant,
            _scope.importId(), id);
        return touched || _stored->isPlaced(id);
    }

    void update(const Contact&, const Contact& after, const ImportExtras& extras) override
    {
        auto notes = notesOf(after.id);
        notes.insert(notes.end(), extras.notes.begin(), extras.notes.end());
        write(after, notes);
        _scope.transaction.execute("DELETE FROM import_key WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3",
                                   _scope.tenant, _scope.importId(), after.id);
        auto keys = keyRows();
        addKeys(keys, _scope, after);
        keys.write(_scope.transaction);
    }

private:
    void findKind(ImportKey kind, const std::string& system, const std::vector<std::string>& texts, OldestFound& found)
    {
        const auto take = [&](std::string text, Row row) {
            found.add({kind, std::move(text), system}, row.get<ContactId>(1), row.get<std::optional<Instant>>(2));
        };
        std::string query = "SELECT ";
        ((query += tablesOf(kindOf(kind))) += " IN {}") += untouched;
        std::vector<SqlValue> first{_scope.tenant, _scope.importId()};
        if (kind == ImportKey::ExternalId) first.emplace_back(system);
        InList(query, first.size()).query(_scope.transaction, first, texts, [&](Row row) { take(row.get<std::string>(0), row); });

        std::vector<std::string> asStored;
        for (const auto& text : texts) asStored.push_back(stored(kind, system, text));
        const InList checked("SELECT k.key_text, k.contact_id, c.created_at FROM import_key k LEFT JOIN contact c "
                             "ON c.organization_id = k.organization_id AND c.id = k.contact_id "
                             "WHERE k.organization_id = $1 AND k.import_id = $2 AND k.kind = $3 AND k.key_text IN {}",
                             3);
        checked.query(_scope.transaction, {_scope.tenant, _scope.importId(), kindOf(kind)}, asStored,
                      [&](Row row) { take(textOf(row.text(0), system), row); });
    }

    /// The oldest contacts that the file does not touch and those that it would make or change, by a phone number or a name.
    std::vector<ContactId> search(std::string_view kind, const std::string& text)
    {
        struct Candidate
        {
            ContactId id;
            std::optional<Instant> createdAt;
        };
        std::vector<Candidate> found;
        const auto take = [&](Rows rows)
        {
            for (Row row : rows) found.push_back({row.get<ContactId>(1), row.get<std::optional<Instant>>(2)});
        };
        std::string query = "SELECT ";
        ((query += tablesOf(kind)) += " = $3") += untouched;
        query += " ORDER BY c.created_at, c.id LIMIT $4";
        auto& session = _scope.transaction;
        take(session.query(query, _scope.tenant, _scope.importId(), text, maxAlike));
        take(session.query("SELECT k.key_text, k.contact_id, c.created_at FROM import_key k LEFT JOIN contact c "
                           "ON c.organization_id = k.organization_id AND c.id = k.contact_id "
                           "WHERE k.organization_id = $1 AND k.import_id = $2 AND k.kind = $3 AND k.key_text = $4 "
                           "ORDER BY c.created_at IS NULL, c.created_at, k.contact_id LIMIT $5",
                           _scope.tenant, _scope.importId(), kind, text, maxAlike));
        std::sort(found.begin(), found.end(),
                  [](const Candidate& left, const Candidate& right)
                  { return isOlder(left.id, left.createdAt, right.id, right.createdAt); });
        if (found.size() > static_cast<std::size_t>(maxAlike)) found.resize(static_cast<std::size_t>(maxAlike));
        std::vector<ContactId> ids;
        for (auto& each : found) ids.push_back(std::move(each.id));
        return ids;
    }

    void write(const Contact& contact, const std::vector<std::string>& notes)
    {
        _scope.transaction.execute("INSERT INTO import_contact (organization_id, import_id, contact_id, document, notes) "
                                   "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (organization_id, import_id, contact_id) DO UPDATE SET "
                                   "document = excluded.document, notes = excluded.notes",
                                   _scope.tenant, _scope.importId(), contact.id, documentTextOf(contact), toJson(notes));
    }

    std::vector<std::string> notesOf(const ContactId& id)
    {
        const auto text = _scope.transaction.value<std::string>(
            "SELECT notes FROM import_contact WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3", _scope.tenant,
            _scope.importId(), id);
        return text ? fromJson<std::vector<std::string>>(*text) : std::vector<std::string>{};
    }

    const ImportScope& _scope;
    const std::unique_ptr<ImportTables> _stored;
};

} // namespace

std::unique_ptr<ImportTables> dryRunContacts(const ImportScope& scope) { return std::make_unique<DryRunContacts>(scope); }

} // namespace portico::crm
