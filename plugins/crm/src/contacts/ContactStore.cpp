#include "contacts/ContactStore.h"

#include "contacts/ContactLists.h"
#include "contacts/ContactRow.h"
#include "data/ManyRows.h"
#include "data/SqlText.h"
#include "merges/MergeRecords.h"

#include <deque>

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

std::optional<Contact> contactOf(std::optional<ContactRow> row)
{
    if (!row) return std::nullopt;
    row->document.pipelines = std::move(row->places);
    row->document.counts = {row->noteCount, row->attachmentCount};
    return std::move(row->document);
}

/// Cards on boards say themselves that their contact is deleted, so that nobody who counts them needs to look.
void hideCards(Transaction& transaction, Tenant tenant, const ContactId& id, bool hidden)
{
    transaction.execute("UPDATE pipeline_card SET hidden = $3 WHERE organization_id = $1 AND contact_id = $2", tenant, id, hidden);
}

/// Claims the external ids. The look before gives the error its place in the input; the primary key decides between rivals.
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

ContactStore::ContactStore()
    : _selectView("SELECT " + columns<ContactView>() + std::string(alive)),
      _selectForUpdate("SELECT " + columns<ContactRow>() + std::string(alive)),
      _selectDeletedForUpdate("SELECT " + columns<ContactRow>() + std::string(deleted))
{
}

std::optional<ContactView> ContactStore::view(Session& session, Tenant tenant, const ContactId& id) const
{
    auto contact = session.one<ContactView>(_selectView, tenant, id);
    if (contact) contact->counts = {contact->noteCount, contact->attachmentCount};
    return contact;
}

std::optional<Contact> ContactStore::read(Session& session, Tenant tenant, const ContactId& id) const
{
    return contactOf(session.one<ContactRow>(_selectForUpdate, tenant, id));
}

bool ContactStore::exists(Session& session, Tenant tenant, const ContactId& id) const
{
    return session.value<std::int64_t>("SELECT 1" + std::string(alive), tenant, id).has_value();
}

std::optional<std::optional<std::string>> ContactStore::ownerOf(Session& session, Tenant tenant, const ContactId& id) const
{
    return session.value<std::optional<std::string>>("SELECT owner_user_id" + std::string(alive), tenant, id);
}

std::optional<Contact> ContactStore::load(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    return contactOf(transaction.one<ContactRow>(_selectForUpdate + std::string(forUpdate(transaction)), tenant, id));
}

std::optional<Contact> ContactStore::loadDeleted(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    return contactOf(transaction.one<ContactRow>(_selectDeletedForUpdate + std::string(forUpdate(transaction)), tenant, id));
}

std::vector<Contact> ContactStore::loadMany(Transaction& transaction, Tenant tenant, const std::vector<std::string>& ids) const
{
    std::vector<Contact> contacts;
    if (ids.empty()) return contacts;
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(tenant.text())));
    conditions.addIn("id", ids);
    // In one order, so that two that change the same contacts wait for each other, not crosswise.
    const std::string sql = "SELECT " + columns<ContactRow>() + " FROM contact WHERE " + conditions.text() + " ORDER BY id" +
                            std::string(forUpdate(transaction));
    for (Row row : transaction.queryValues(sql, conditions.values())) contacts.push_back(*contactOf(row.as<ContactRow>()));
    return contacts;
}

void ContactStore::insert(Transaction& transaction, Tenant tenant, const Contact& contact) const
{
    transaction.insert("contact", columnsOf(contact), {"organization_id", "note_count", "attachment_count"}, tenant, 0, 0);
    writeEmails(transaction, tenant, contact);
    writePhones(transaction, tenant, contact);
    writeTags(transaction, tenant, contact);
    claimExternalIds(transaction, tenant, contact);
    _text.add(transaction, tenant, contact.id, searchTextOf(contact));
}

void ContactStore::insertAll(Transaction& transaction, Tenant tenant, const std::vector<const Contact*>& contacts) const
{
    constexpr std::size_t besideTheRecord = 3;
    ManyRows rows("contact (" + columns<ContactColumns>() + ", organization_id, note_count, attachment_count)",
                  columnCount<ContactColumns>() + besideTheRecord);
    std::deque<ContactColumns> kept;
    std::vector<ContactText::Entry> texts;
    for (const auto* contact : contacts)
    {
        const auto counts = contact->counts.value_or(ContactCounts{});
        rows.addRecord(kept.emplace_back(columnsOf(*contact)), tenant, counts.notes, counts.attachments);
        texts.push_back({contact->id, searchTextOf(*contact)});
    }
    rows.write(transaction);
    try
    {
        addLists(transaction, tenant, contacts);
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        throw notUnique(0);
    }
    _text.addAll(transaction, tenant, texts);
}

void ContactStore::update(Transaction& transaction, Tenant tenant, const Contact& before, const Contact& after) const
{
    writeRow(transaction, tenant, after);
    if (before.emails != after.emails) writeEmails(transaction, tenant, after);
    if (before.phones != after.phones) writePhones(transaction, tenant, after);
    if (before.tags != after.tags) writeTags(transaction, tenant, after);
    if (before.externalIds != after.externalIds) claimExternalIds(transaction, tenant, after);
    _text.change(transaction, tenant, after.id, searchTextOf(before), searchTextOf(after));
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
        throw Problem::conflict("conflict", "Another contact has got an external id of this one meanwhile: free it there first.");
    }
}

void ContactStore::erase(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    remove(transaction, tenant, id);
    forgetMergesInto(transaction, tenant, id);
}

void ContactStore::remove(Transaction& transaction, Tenant tenant, const ContactId& id) const
{
    _text.remove(transaction, tenant, id);
    _blobs.releaseOf(transaction, tenant, id);
    transaction.execute("DELETE FROM contact WHERE organization_id = $1 AND id = $2", tenant, id);
}

} // namespace portico::crm
