#pragma once

#include "imports/ImportContacts.h"
#include "imports/ImportIds.h"
#include "imports/ImportScope.h"

namespace portico::crm
{

/// The contacts themselves.
class StoredContacts final : public ImportContacts
{
public:
    explicit StoredContacts(const ImportScope& scope) : _scope(scope), _made(idsMadeBy(scope.importId, ContactId::prefix)) {}

    std::optional<ContactId> find(const ImportMatchKey& key) override;
    std::vector<ContactId> alike(const Contact& contact) override;
    std::optional<Contact> load(const ContactId& id) override;
    bool hasNote(const ContactId& id, std::string_view body) override;
    bool isPlaced(const ContactId& id) override;
    bool meet(const ContactId& id) override;
    void insert(const Contact& contact, const ImportExtras& extras) override;
    void update(const Contact& before, const Contact& after, const ImportExtras& extras) override;

private:
    void add(const ContactId& id, const ImportExtras& extras);
    void addNotes(const ContactId& id, const ImportExtras& extras);

    const ImportScope& _scope;
    /// Ids between which those lie that this import makes: they are the youngest, whatever the clock says.
    const std::pair<std::string, std::string> _made;
};

/// Marks a contact as met in a file, once a kind of mark; false if it was marked already.
bool markMet(const ImportScope& scope, std::string_view kind, const ContactId& id);

/// Another writer has taken what was free a moment ago: the transaction is to be run again.
class ImportRace : public std::runtime_error
{
public:
    ImportRace() : std::runtime_error("another writer took an external id at the same moment") {}
};

} // namespace portico::crm
