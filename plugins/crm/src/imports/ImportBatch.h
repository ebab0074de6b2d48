#pragma once

#include "imports/ImportRow.h"
#include "imports/ImportTables.h"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace portico::crm
{

/// The rows of one transaction over the tables: what they ask for is looked up at once, and the contacts that they make are written at
/// once; each row finds things as if those before it had been written. What changes contacts is written at its turn.
class ImportBatch
{
public:
    explicit ImportBatch(std::unique_ptr<ImportTables> tables) : _tables(std::move(tables)) {}

    /// Looks up what these rows are going to ask for; what is asked beyond that is looked up then.
    void lookUp(std::span<const ImportRow> rows, const ImportRules& rules);
    /// Writes what still waits. To be called at the end.
    void write();

    /// The oldest contact with that key.
    std::optional<ContactId> find(const ImportMatchKey& key);
    // As those of ImportTables.
    std::vector<ContactId> alike(const Contact& contact);
    std::optional<Contact> load(const ContactId& id);
    bool hasNote(const ContactId& id, std::string_view body);
    bool isPlaced(const ContactId& id);
    /// Marks a contact from before as met in this file; false if an earlier row has met it.
    bool meet(const ContactId& id);
    void insert(Contact contact, ImportExtras extras);
    void update(const Contact& before, const Contact& after, const ImportExtras& extras);

private:
    void writeContacts();
    /// The tables, in which the contact is if anywhere.
    ImportTables& tablesWith(const ContactId& id);
    /// Whether a contact with that phone number or that name may be in the tables.
    bool mayHave(const ImportMatchKey& phone) const;
    bool mayHaveName(const std::string& name) const;
    /// A contact is in the tables now that was not there when they were asked.
    void appear(const ImportMatchKey& key, const ContactId& id);

    std::unique_ptr<ImportTables> _tables;
    /// What the tables have said: who has a key, if anybody; whether somebody is called so; who was met before.
    std::map<ImportMatchKey, std::optional<ContactId>> _found;
    std::map<std::string, bool> _names;
    std::map<ContactId, bool> _met;
    std::vector<ContactId> _newlyMet;
    /// Contacts that are not in the tables yet, and the first of them with each key.
    std::vector<NewImported> _waiting;
    std::set<ContactId> _waitingIds;
    std::map<ImportMatchKey, ContactId> _waitingKeys;
    std::set<std::string> _waitingNames;
};

} // namespace portico::crm
