#pragma once

#include "imports/ImportContacts.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace portico::crm
{

/// A contact that a row of a file would make.
struct NewImported
{
    Contact contact;
    ImportExtras extras;
};

/// Contacts in tables, where many are looked up and written with few statements.
class ImportTables : public ImportContacts
{
public:
    using Found = std::map<ImportMatchKey, ContactId>;

    std::optional<ContactId> find(const ImportMatchKey& key) final
    {
        const auto found = findAll({key});
        return found.empty() ? std::nullopt : std::optional(found.begin()->second);
    }
    /// The oldest contact with each of the keys; without those that no contact has.
    virtual Found findAll(const std::set<ImportMatchKey>& keys) = 0;
    /// Those of the names, folded, by which contacts are called.
    virtual std::set<std::string> knownNames(const std::set<std::string>& names) = 0;
    /// Those that an earlier row has met.
    virtual std::set<ContactId> knownMet(const std::set<ContactId>& ids) = 0;
    virtual void meetAll(const std::vector<ContactId>& ids) = 0;
    /// Contacts without photos and places.
    virtual void insertAll(std::vector<NewImported>& made) = 0;
};

/// The oldest of several contacts with a key: those that the import itself makes are the youngest, in the order of the file.
class OldestFound
{
public:
    explicit OldestFound(const ImportId& import) : _import(import) {}
    void add(ImportMatchKey key, ContactId id, std::optional<Instant> createdAt);
    ImportTables::Found take() &&;

private:
    struct Candidate
    {
        ContactId id;
        std::optional<Instant> createdAt;
    };
    const ImportId& _import;
    std::map<ImportMatchKey, Candidate> _oldest;
};

/// True if the first of two contacts is the older one; no time: the import makes it.
bool isOlder(const ContactId& id, std::optional<Instant> createdAt, const ContactId& other, std::optional<Instant> otherCreatedAt);

} // namespace portico::crm
