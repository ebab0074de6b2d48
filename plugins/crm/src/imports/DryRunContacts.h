#pragma once

#include "imports/DatabaseContacts.h"

#include <string>

namespace portico::crm
{

/// The contacts as they would be if the rows that were checked so far had been stored: what they would make or change is kept in tables of
/// the import, and stands before the contacts themselves, which are only read.
class DryRunContacts final : public ImportTables
{
public:
    explicit DryRunContacts(const ImportScope& scope) : _scope(scope), _stored(scope) {}

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
    void findAll(ImportKey kind, const std::string& system, const std::vector<std::string>& texts, OldestFound& found);
    /// The oldest contacts that the file does not touch and those that it would make or change, by a phone number or a name.
    std::vector<ContactId> search(std::string_view kind, const std::string& text);
    void write(const Contact& contact, const std::vector<std::string>& notes);
    std::vector<std::string> notesOf(const ContactId& id);

    const ImportScope& _scope;
    DatabaseContacts _stored;
};

} // namespace portico::crm
