#include "contacts/ContactStore.h"

#include "blobs/UnownedBlobs.h"
#include "contacts/ContactLists.h"
#include "contacts/ContactRow.h"
#include "search/ContactText.h"

namespace portico::crm
{

namespace
{

Problem notUnique(std::size_t index)
{
    return Problem::invalid("externalIds[" + std::to_string(index) + "]", "not_unique", "Another contact has this id of that system");
}

Contact contactOf(ContactRow row)
{
    row.document.pipelines = std::move(row.places);
    row.document.counts = {row.noteCount, row.attachmentCount};
    return std::move(row.document);
}

std::optional<Contact> contactOf(std::optional<ContactRow> row)
{
    if (!row) return std::nullopt;
    return contactOf(*std::move(row));
}

/// Marks the contact's cards as hidden, so that counts of cards need not join contacts.
void hideCards(Transaction& transaction, Tenant tenant, const ContactId& id, bool hidden)
{
    transaction.execute("UPDATE pipeline_card SET hidden = $3 WHERE organization_id = $1 AND contact_id = $2", tenant, id, hidden);
}

/// Claims the external ids. An earlier check has reported duplicates with their place in the input; the primary key decides between
/// concurrent writers.
void claimExternalIds(Session& session, Tenant tenant, const Contact& contact)
{
    if (const auto taken = takenExternalId(session, tenant, contact)) throw notUnique(*taken);
    try
    {
        writeExternalIds(session, tenant, contact);
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        throw notUnique(0);
    }
}

} // namespace

std::optional<Contact> ContactStore::read(Session& session, Tenant tenant, const ContactId& id) const
{
    return contactOf(contactRows.find(session, tenant, id));
}

std::optional<std::optional<std::string>> ContactStore::ownerOf(Session& session, Tenant tenant, const ContactId& id) const
{
    return session.value<std::optional<std::string>>(
        "SELECT owner_user_id FROM contact WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL", tenant, id);
}

std::optional<Contact> ContactStore::load(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    return contactOf(contactRows.findForUpdate(transaction, tenant, id));
}

Contact ContactStore::require(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    auto contact = load(transaction, tenant, id);
    if (!contact) throw Problem::notFound();
    return *std::move(contact);
}

std::optional<Contact> ContactStore::loadAny(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    return contactOf(allContactRows.findForUpdate(transaction, tenant, id));
}

std::vector<Contact> ContactStore::loadMany(Transaction& transaction, Tenant tenant, const std::vector<ContactId>& ids) const
{
    // In one order, so that two that change the same contacts wait for each other, not crosswise.
    auto rows = allContactRows.select(tenant).whereIn(&ContactRow::id, ids).orderBy(&ContactRow::id).forUpdate().all(transaction);
    std::vector<Contact> contacts;
    for (auto& row : rows) contacts.push_back(contactOf(std::move(row)));
    return contacts;
}

void ContactStore::insert(Transaction& transaction, Tenant tenant, const Contact& contact) const
{
    newContactRows.insert(transaction, tenant, newRowOf(contact, {}));
    changeLists(transaction, tenant, Contact{}, contact);
    claimExternalIds(transaction, tenant, contact);
    addTexts(transaction, tenant, {{contact.id, searchTextOf(contact)}});
}

void ContactStore::insertAll(Transaction& transaction, Tenant tenant, const std::vector<const Contact*>& contacts) const
{
    std::vector<NewContactRow> rows;
    std::vector<ContactText> texts;
    for (const auto* contact : contacts)
    {
        rows.push_back(newRowOf(*contact, contact->counts.value_or(ContactCounts{})));
        texts.push_back({contact->id, searchTextOf(*contact)});
    }
    newContactRows.insertMany(transaction, tenant, rows);
    try
    {
        addLists(transaction, tenant, contacts);
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        throw notUnique(0);
    }
    addTexts(transaction, tenant, texts);
}

void ContactStore::update(Transaction& transaction, Tenant tenant, const Contact& before, const Contact& after) const
{
    writeRow(transaction, tenant, after);
    changeLists(transaction, tenant, before, after);
    if (before.externalIds != after.externalIds) claimExternalIds(transaction, tenant, after);
    changeText(transaction, tenant, after.id, searchTextOf(before), searchTextOf(after));
}

void ContactStore::writeRow(Transaction& transaction, Tenant tenant, const Contact& contact) const
{
    transaction.update("contact", columnsOf(contact), {}, {"organization_id", "id"}, tenant, contact.id);
}

void ContactStore::markDeleted(Transaction& transaction, Tenant tenant, const Contact& contact) const
{
    writeRow(transaction, tenant, contact);
    hideCards(transaction, tenant, contact.id, true);
    removeExternalIds(transaction, tenant, contact.id);
}

void ContactStore::unmarkDeleted(Transaction& transaction, Tenant tenant, const Contact& contact) const
{
    writeRow(transaction, tenant, contact);
    hideCards(transaction, tenant, contact.id, false);
    try
    {
        claimExternalIds(transaction, tenant, contact);
    }
    catch (const Problem&)
    {
        throw Problem::conflict("conflict", "Another contact now has an external id of this one: remove it there first.");
    }
}

void ContactStore::erase(Transaction& transaction, Tenant tenant, const ContactId& id, const VersionKeepers& keepers) const
{
    remove(transaction, tenant, id);
    keepers.erased(transaction, tenant, id);
}

void ContactStore::remove(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    removeText(transaction, tenant, id);
    releaseBlobsOf(transaction, tenant, id);
    transaction.execute("DELETE FROM contact WHERE organization_id = $1 AND id = $2", tenant, id);
}

} // namespace portico::crm
