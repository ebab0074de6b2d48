#pragma once

#include "imports/ImportIds.h"
#include "imports/ImportScope.h"
#include "imports/ImportTables.h"

#include "portico/Tenant.h"

namespace portico::crm
{

/// The contacts themselves.
class DatabaseContacts final : public ImportTables
{
public:
    explicit DatabaseContacts(const ImportScope& scope) : _scope(scope), _made(idsMadeBy(scope.importId, ContactId::prefix)) {}

    Found findAll(const std::set<ImportMatchKey>& keys) override;
    std::set<std::string> knownNames(const std::set<std::string>& names) override;
    std::set<ContactId> knownMet(const std::set<ContactId>& ids) override;
    void meetAll(const std::vector<ContactId>& ids) override;
    void insertAll(std::vector<NewImported>& made) override;
    std::vector<ContactId> alike(const Contact& contact) override;
    std::optional<Contact> load(const ContactId& id) override;
    bool hasNote(const ContactId& id, std::string_view body) override;
    bool isPlaced(const ContactId& id) override;
    bool meet(const ContactId& id) override;
    void insert(Contact contact, ImportExtras extras) override;
    void update(const Contact& before, const Contact& after, const ImportExtras& extras) override;

private:
    void add(const ContactId& id, const ImportExtras& extras);
    std::vector<Note> notesOf(const ContactId& id, const ImportExtras& extras) const;
    Tenant tenant() const { return _scope.tenant; }

    const ImportScope& _scope;
    /// Ids between which those lie that this import makes: they are the youngest, whatever the clock says.
    const std::pair<std::string, std::string> _made;
};

/// Keys of a kind by the system that they are of, if any: `take(system, texts)`.
template <class F>
void forEachSystem(const std::set<ImportMatchKey>& keys, ImportKey kind, const F& take)
{
    std::map<std::string, std::vector<std::string>> texts;
    for (const auto& key : keys)
        if (key.kind == kind) texts[key.system].push_back(key.text);
    for (const auto& [system, list] : texts) take(system, list);
}

/// Marks contacts as met in a file, once a kind of mark; how many were not marked already.
std::int64_t markMet(const ImportScope& scope, std::string_view kind, const std::vector<ContactId>& ids);
/// Those that are marked.
std::set<ContactId> markedMet(const ImportScope& scope, std::string_view kind, const std::set<ContactId>& ids);

/// Another writer has taken what was free a moment ago: the transaction is to be run again.
class ImportRace : public std::runtime_error
{
public:
    ImportRace() : std::runtime_error("another writer took an external id at the same moment") {}
};

} // namespace portico::crm
