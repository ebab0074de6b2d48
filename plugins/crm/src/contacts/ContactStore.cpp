#include "contacts/ContactStore.h"

#include "contacts/ContactKeys.h"
#include "contacts/ContactLists.h"

namespace portico::crm
{

namespace
{

constexpr std::string_view alive = " FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL";
constexpr std::string_view deleted = " FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NOT NULL";

Problem notUnique(std::size_t index)
{
    return Problem::invalid("externalIds[" + std::to_string(index) + "]", "not_unique", "Another contact has this id of that system");
}

/// The columns of `counts` are members of their own in a row.
template <class T>
std::optional<T> withCounts(std::optional<T> contact)
{
    if (contact) contact->counts = {contact->noteCount, contact->attachmentCount};
    return contact;
}

/// Claims the external ids. The look before gives the error its place in the input; the primary key decides between rivals.
void claimExternalIds(Session& session, std::string_view organizationId, const Contact& contact)
{
    if (const auto taken = takenExternalId(session, organizationId, contact)) throw notUnique(*taken);
    try
    {
        writeExternalIds(session, organizationId, contact);
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        throw notUnique(0);
    }
}

} // namespace

ContactStore::ContactStore()
    : _selectView("SELECT " + columns<ContactView>() + std::string(alive)),
      _selectForUpdate("SELECT " + columns<Contact>() + std::string(alive)),
      _selectDeletedForUpdate("SELECT " + columns<Contact>() + std::string(deleted))
{
}

std::optional<ContactView> ContactStore::view(Session& session, std::string_view organizationId, const ContactId& id) const
{
    return withCounts(session.one<ContactView>(_selectView, organizationId, id));
}

bool ContactStore::exists(Session& session, std::string_view organizationId, const ContactId& id) const
{
    return session.value<std::int64_t>("SELECT 1" + std::string(alive), organizationId, id).has_value();
}

std::optional<Contact> ContactStore::load(Transaction& transaction, std::string_view organizationId, const ContactId& id) const
{
    return withCounts(transaction.one<Contact>(_selectForUpdate + std::string(forUpdate(transaction)), organizationId, id));
}

std::optional<Contact> ContactStore::loadDeleted(Transaction& transaction, std::string_view organizationId, const ContactId& id) const
{
    return withCounts(transaction.one<Contact>(_selectDeletedForUpdate + std::string(forUpdate(transaction)), organizationId, id));
}

void ContactStore::insert(Transaction& transaction, std::string_view organizationId, const Contact& contact) const
{
    const auto keys = keysOf(contact);
    transaction.insert("contact", contact, {"organization_id", "sort_name", "sort_last_name", "name_key"}, organizationId, keys.sortName,
                       keys.sortLastName, keys.nameKey);
    writeEmails(transaction, organizationId, contact);
    writePhones(transaction, organizationId, contact);
    writeTags(transaction, organizationId, contact);
    claimExternalIds(transaction, organizationId, contact);
    _text.write(transaction, organizationId, contact.id, keys.searchText);
}

void ContactStore::update(Transaction& transaction, std::string_view organizationId, const Contact& before, const Contact& after) const
{
    const auto keys = keysOf(after);
    transaction.update("contact", after, {"sort_name", "sort_last_name", "name_key"}, {"organization_id", "id"}, keys.sortName,
                       keys.sortLastName, keys.nameKey, organizationId, after.id);
    if (before.emails != after.emails) writeEmails(transaction, organizationId, after);
    if (before.phones != after.phones) writePhones(transaction, organizationId, after);
    if (before.tags != after.tags) writeTags(transaction, organizationId, after);
    if (before.externalIds != after.externalIds) claimExternalIds(transaction, organizationId, after);
    if (keysOf(before).searchText != keys.searchText) _text.write(transaction, organizationId, after.id, keys.searchText);
}

void ContactStore::writeDeletedAt(Transaction& transaction, std::string_view organizationId, const Contact& contact) const
{
    transaction.execute("UPDATE contact SET deleted_at = $1, updated_at = $2, version = $3 WHERE organization_id = $4 AND id = $5",
                        contact.deletedAt, contact.updatedAt, contact.version, organizationId, contact.id);
}

void ContactStore::markDeleted(Transaction& transaction, std::string_view organizationId, const Contact& contact) const
{
    writeDeletedAt(transaction, organizationId, contact);
    removeExternalIds(transaction, organizationId, contact.id);
}

void ContactStore::unmarkDeleted(Transaction& transaction, std::string_view organizationId, const Contact& contact) const
{
    writeDeletedAt(transaction, organizationId, contact);
    try
    {
        claimExternalIds(transaction, organizationId, contact);
    }
    catch (const Problem&)
    {
        throw Problem::conflict("conflict", "Another contact has got an external id of this one meanwhile: free it there first.");
    }
}

void ContactStore::erase(Transaction& transaction, std::string_view organizationId, const ContactId& id) const
{
    _text.remove(transaction, organizationId, id);
    transaction.execute("DELETE FROM contact WHERE organization_id = $1 AND id = $2", organizationId, id);
}

} // namespace portico::crm
