#pragma once

#include "contacts/VersionKeepers.h"
#include "records/Contact.h"
#include "records/ContactView.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Stores contacts and their entries for lists and searches. Has no state, so one object serves all threads.
class ContactStore
{
public:
    /// Returns the parsed contact; none if it is deleted.
    std::optional<Contact> read(Session& session, Tenant tenant, const ContactId& id) const;
    /// Returns the owner; null if there is none. No value if there is no such contact.
    std::optional<std::optional<std::string>> ownerOf(Session& session, Tenant tenant, const ContactId& id) const;
    /// Returns the contact and locks it until the transaction ends.
    std::optional<Contact> load(Transaction& transaction, Tenant tenant, const ContactId& id) const;
    /// @throws Problem 404
    Contact require(Transaction& transaction, Tenant tenant, const ContactId& id) const;
    /// Does the same, also for a deleted contact.
    std::optional<Contact> loadAny(Transaction& transaction, Tenant tenant, const ContactId& id) const;

    /// Returns and locks contacts by their ids, including deleted ones. Leaves out unknown ids.
    std::vector<Contact> loadMany(Transaction& transaction, Tenant tenant, const std::vector<ContactId>& ids) const;

    /// @throws Problem 400 `validation_failed` with `not_unique` if another contact has one of the external ids
    void insert(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    /// Inserts new contacts with few statements. If counts are set, the caller must insert the counted notes and files afterwards.
    /// @throws Problem like insert, but without naming the contact
    void insertAll(Transaction& transaction, Tenant tenant, const std::vector<const Contact*>& contacts) const;
    /// Writes the changed result of `load`. @throws like insert
    void update(Transaction& transaction, Tenant tenant, const Contact& before, const Contact& after) const;

    /// Writes a contact whose `deletedAt` was set, which hides it and frees its external ids.
    void markDeleted(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    /// Writes a contact whose `deletedAt` was cleared. @throws Problem 409 `conflict` if another contact now has one of its external ids
    void unmarkDeleted(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    /// Removes the contact and its records. BlobSweeper deletes the files of its attachments. Keeps the data to undo merges into it.
    void remove(Transaction& transaction, Tenant tenant, const ContactId& id) const;
    /// Removes the contact, its records and the contacts that were merged into it permanently.
    void erase(Transaction& transaction, Tenant tenant, const ContactId& id, const VersionKeepers& keepers) const;

private:
    void writeRow(Transaction& transaction, Tenant tenant, const Contact& contact) const;
};

} // namespace portico::crm
