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

/// The rows of contacts, and what is kept beside them for lists and searches. Holds SQL only, so one object serves all threads.
class ContactStore
{
public:
    /// A contact that is not deleted, taken apart.
    std::optional<Contact> read(Session& session, Tenant tenant, const ContactId& id) const;
    /// The owner, null if there is none; empty if there is no such contact.
    std::optional<std::optional<std::string>> ownerOf(Session& session, Tenant tenant, const ContactId& id) const;
    /// The contact for changing: no other writer changes it until the transaction ends.
    std::optional<Contact> load(Transaction& transaction, Tenant tenant, const ContactId& id) const;
    /// @throws Problem 404
    Contact require(Transaction& transaction, Tenant tenant, const ContactId& id) const;
    /// The same, also a deleted one.
    std::optional<Contact> loadAny(Transaction& transaction, Tenant tenant, const ContactId& id) const;

    /// Contacts for changing, deleted ones as well, by their ids; those that are not there are left out.
    std::vector<Contact> loadMany(Transaction& transaction, Tenant tenant, const std::vector<ContactId>& ids) const;

    /// @throws Problem 400 `validation_failed` with `not_unique` when another contact has one of the external ids.
    void insert(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    /// New contacts with few statements. Their counts, where they have some, are those of notes and files that the caller writes after
    /// them.
    /// @throws Problem as insert, but without saying which contact it is about
    void insertAll(Transaction& transaction, Tenant tenant, const std::vector<const Contact*>& contacts) const;
    /// Writes what `load` gave and was changed. @throws as insert
    void update(Transaction& transaction, Tenant tenant, const Contact& before, const Contact& after) const;

    /// Writes a contact whose `deletedAt` was set, which hides it; its external ids are free from then on.
    void markDeleted(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    /// Writes a contact whose `deletedAt` was cleared. @throws Problem 409 `conflict` when another contact has got one of its external ids
    /// meanwhile.
    void unmarkDeleted(Transaction& transaction, Tenant tenant, const Contact& contact) const;
    /// Removes the contact and all under it (the files of its attachments are left to BlobSweeper), but keeps what is needed to undo merges
    /// into it.
    void remove(Transaction& transaction, Tenant tenant, const ContactId& id) const;
    /// Removes the contact and all under it for good, with the contacts that were merged into it.
    void erase(Transaction& transaction, Tenant tenant, const ContactId& id, const VersionKeepers& keepers) const;

private:
    void writeRow(Transaction& transaction, Tenant tenant, const Contact& contact) const;
};

} // namespace portico::crm
