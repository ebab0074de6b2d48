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

/// Batches the rows of one transaction: looks up their keys together, and inserts new contacts together. Each row sees the results of the
/// rows before it. Changes of existing contacts are written immediately.
class ImportBatch
{
public:
    explicit ImportBatch(std::unique_ptr<ImportTables> tables) : _tables(std::move(tables)) {}

    /// Looks up the keys of these rows. Further keys are looked up when they are needed.
    void lookUp(std::span<const ImportRow> rows, const ImportRules& rules);
    /// Writes pending contacts. Must be called at the end.
    void write();

    /// Returns the oldest contact with that key.
    std::optional<ContactId> find(const ImportMatchKey& key);
    // Like those of ImportTables.
    std::vector<ContactId> alike(const Contact& contact);
    std::optional<Contact> load(const ContactId& id);
    bool hasNote(const ContactId& id, std::string_view body);
    bool isPlaced(const ContactId& id);
    /// Marks an existing contact as found in this file. Returns false if an earlier row has found it.
    bool meet(const ContactId& id);
    void insert(Contact contact, ImportExtras extras);
    void update(const Contact& before, const Contact& after, const ImportExtras& extras);

private:
    void writeContacts();
    /// Returns the tables after pending inserts were written, if the contact is one of them.
    ImportTables& tablesWith(const ContactId& id);
    /// Returns true if the tables may contain a contact with that phone number or that name.
    bool mayHave(const ImportMatchKey& phone) const;
    bool mayHaveName(const std::string& name) const;
    /// Records a contact that was inserted after the lookup.
    void appear(const ImportMatchKey& key, const ContactId& id);

    std::unique_ptr<ImportTables> _tables;
    /// Cached lookups: contacts by key, existing names, contacts found by earlier rows.
    std::map<ImportMatchKey, std::optional<ContactId>> _found;
    std::map<std::string, bool> _names;
    std::map<ContactId, bool> _met;
    std::vector<ContactId> _newlyMet;
    /// Pending contacts, and the first of them with each key.
    std::vector<NewImported> _waiting;
    std::set<ContactId> _waitingIds;
    std::map<ImportMatchKey, ContactId> _waitingKeys;
    std::set<std::string> _waitingNames;
};

} // namespace portico::crm
