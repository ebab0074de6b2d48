#pragma once

#include "imports/ImportMatch.h"
#include "imports/ImportTools.h"
#include "records/Attachment.h"
#include "records/Contact.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Data that a row adds beside the contact's members.
struct ImportExtras
{
    std::int64_t fileRow = 0;
    /// Bodies of notes that the contact does not have yet.
    std::vector<std::string> notes;
    /// True if the contact is placed on the stage that the import names.
    bool place = false;
    /// A photo that becomes the contact's, if it was written.
    std::optional<Attachment>* photo = nullptr;
};

/// A contact that a row of a file would make.
struct NewImported
{
    Contact contact;
    ImportExtras extras;
};

/// Maximum contacts that `alike` returns for each value.
constexpr std::int64_t maxAlike = 20;

/// Access of an import to the contacts of one organization, within one transaction. A check and the real import use different
/// implementations, and are otherwise identical, so that their results agree. Reads and writes many contacts with few statements.
class ImportTables
{
public:
    using Found = std::map<ImportMatchKey, ContactId>;

    virtual ~ImportTables() = default;
    /// The oldest contact with each of the keys; without those that no contact has.
    virtual Found find(const std::set<ImportMatchKey>& keys) = 0;
    /// Returns the folded names that contacts have.
    virtual std::set<std::string> knownNames(const std::set<std::string>& names) = 0;
    /// Returns the existing contacts that an earlier row of this file has found.
    virtual std::set<ContactId> met(const std::set<ContactId>& ids) = 0;
    /// Marks contacts from before as met; how many were not.
    virtual std::int64_t meet(const std::vector<ContactId>& ids) = 0;
    /// Returns the oldest few contacts with one of the phone numbers; without phone numbers those with the display name.
    virtual std::vector<ContactId> alike(const Contact& contact) = 0;
    /// Returns and locks the contact; empty if it has been deleted.
    virtual std::optional<Contact> load(const ContactId& id) = 0;
    virtual bool hasNote(const ContactId& id, std::string_view body) = 0;
    /// Returns true if the contact is on the board that the import names, on any stage.
    virtual bool isPlaced(const ContactId& id) = 0;

    virtual void insert(std::vector<NewImported>& made) = 0;
    virtual void update(const Contact& before, const Contact& after, const ImportExtras& extras) = 0;
};

/// Returns the access to the stored contacts.
std::unique_ptr<ImportTables> databaseContacts(const ImportScope& scope);
/// Returns a simulation of the contacts after the rows that were checked so far. Tables of the import contain the contacts that these rows
/// would create or change, and take precedence over the real ones, which are only read.
std::unique_ptr<ImportTables> dryRunContacts(const ImportScope& scope);

/// Thrown if a concurrent writer has taken a key: the transaction must be repeated.
class ImportRace : public std::runtime_error
{
public:
    ImportRace() : std::runtime_error("another writer took an external id at the same moment") {}
};

/// Keeps the oldest of several contacts with a key. Contacts that the import creates are the youngest, in the order of the file.
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
/// Returns the marked contacts.
std::set<ContactId> markedMet(const ImportScope& scope, std::string_view kind, const std::set<ContactId>& ids);

} // namespace portico::crm
