#pragma once

#include "attachments/Attachment.h"
#include "contacts/Contact.h"
#include "imports/ImportMatch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// What one row adds to a contact beside its members.
struct ImportExtras
{
    std::int64_t fileRow = 0;
    /// Bodies of notes that the contact has not.
    std::vector<std::string> notes;
    /// It goes onto the stage that the import names.
    bool place = false;
    /// A photo that becomes the contact's, if it was written.
    std::optional<Attachment>* photo = nullptr;
};

/// How many contacts `alike` gives for each thing that it looks for.
constexpr std::int64_t mostAlike = 20;

/// The contacts of one organization as an import sees and changes them, within one transaction. A check and the real import differ in
/// nothing but in which of these they use: so they come to the same results.
class ImportContacts
{
public:
    virtual ~ImportContacts() = default;
    /// The oldest contact with that key.
    virtual std::optional<ContactId> find(const ImportMatchKey& key) = 0;
    /// A few contacts, the oldest first, with one of the phone numbers, or, if the contact has none, with its display name.
    virtual std::vector<ContactId> alike(const Contact& contact) = 0;
    /// For changing; empty if it is deleted meanwhile.
    virtual std::optional<Contact> load(const ContactId& id) = 0;
    virtual bool hasNote(const ContactId& id, std::string_view body) = 0;
    /// True if it stands on the board that the import names, on whatever stage.
    virtual bool isPlaced(const ContactId& id) = 0;
    /// Marks a contact from before as met in this file; false if an earlier row has met it.
    virtual bool meet(const ContactId& id) = 0;

    virtual void insert(Contact contact, ImportExtras extras) = 0;
    virtual void update(const Contact& before, const Contact& after, const ImportExtras& extras) = 0;
};

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
