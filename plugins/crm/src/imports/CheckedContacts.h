#pragma once

#include "imports/StoredContacts.h"

#include <string>

namespace portico::crm
{

/// The contacts as they would be if the rows that were checked so far had been stored: what they would make or change is kept in tables of
/// the import, and stands before the contacts themselves, which are only read.
class CheckedContacts final : public ImportContacts
{
public:
    explicit CheckedContacts(const ImportScope& scope) : _scope(scope), _stored(scope) {}

    std::optional<ContactId> find(const ImportMatchKey& key) override;
    std::vector<ContactId> alike(const Contact& contact) override;
    std::optional<Contact> load(const ContactId& id) override;
    bool hasNote(const ContactId& id, std::string_view body) override;
    bool isPlaced(const ContactId& id) override;
    bool meet(const ContactId& id) override;
    void insert(const Contact& contact, const ImportExtras& extras) override;
    void update(const Contact& before, const Contact& after, const ImportExtras& extras) override;

private:
    /// A contact with the time by which the oldest is found; those that the file would make are the youngest.
    struct Found
    {
        ContactId id;
        std::optional<Instant> createdAt;
        bool operator<(const Found& other) const;
    };

    /// Contacts that the file does not touch, by a condition with $3 (and $4), and those that it would make or change, by their key.
    std::vector<Found> search(std::string_view kind, const std::string& text, std::string_view system, std::int64_t limit);
    void write(const Contact& contact, const std::vector<std::string>& notes);
    void writeKeys(const Contact& contact);
    void writeKey(const ContactId& id, std::string_view kind, const std::string& text);
    std::vector<std::string> notesOf(const ContactId& id);

    const ImportScope& _scope;
    StoredContacts _stored;
};

} // namespace portico::crm
