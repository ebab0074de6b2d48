#include "contacts/ContactLists.h"

#include "contacts/ContactRow.h"
#include "data/ManyRows.h"
#include "text/EmailKey.h"

namespace portico::crm
{

namespace
{

void addEmailRows(ManyRows& rows, Tenant tenant, const Contact& contact)
{
    for (const auto& email : contact.emails)
        if (auto key = emailKey(email.address))
        {
            const auto address = rows.keep(*std::move(key));
            rows.add(tenant, contact.id, address, address.substr(address.rfind('@') + 1));
        }
}

void addPhoneRows(ManyRows& rows, Tenant tenant, const Contact& contact)
{
    for (const auto& phone : contact.phones) rows.add(tenant, contact.id, rows.keep(phoneKey(phone)));
}

void addTagRows(ManyRows& rows, Tenant tenant, const Contact& contact)
{
    for (const auto& tag : contact.tags) rows.add(tenant, contact.id, tag);
}

void addExternalIdRows(ManyRows& rows, Tenant tenant, const Contact& contact)
{
    for (const auto& external : contact.externalIds) rows.add(tenant, contact.id, external.system, external.id);
}

ManyRows emailRows() { return {"contact_email (organization_id, contact_id, address, domain)", 4, "ON CONFLICT DO NOTHING"}; }
ManyRows phoneRows() { return {"contact_phone (organization_id, contact_id, number)", 3, "ON CONFLICT DO NOTHING"}; }
ManyRows tagRows() { return {"contact_tag (organization_id, contact_id, tag)", 3}; }
ManyRows externalIdRows() { return {"contact_external_id (organization_id, contact_id, system, external_id)", 4}; }

} // namespace

void changeLists(Session& session, Tenant tenant, const Contact& before, const Contact& after)
{
    const auto change = [&](bool changed, std::string_view erase, ManyRows rows, const auto& add)
    {
        if (!changed) return;
        session.execute(erase, tenant, after.id);
        add(rows, tenant, after);
        rows.write(session);
    };
    change(before.emails != after.emails, "DELETE FROM contact_email WHERE organization_id = $1 AND contact_id = $2", emailRows(),
           addEmailRows);
    change(before.phones != after.phones, "DELETE FROM contact_phone WHERE organization_id = $1 AND contact_id = $2", phoneRows(),
           addPhoneRows);
    change(before.tags != after.tags, "DELETE FROM contact_tag WHERE organization_id = $1 AND contact_id = $2", tagRows(), addTagRows);
}

void writeExternalIds(Session& session, Tenant tenant, const Contact& contact)
{
    removeExternalIds(session, tenant, contact.id);
    auto rows = externalIdRows();
    addExternalIdRows(rows, tenant, contact);
    rows.write(session);
}

void removeExternalIds(Session& session, Tenant tenant, const ContactId& id)
{
    session.execute("DELETE FROM contact_external_id WHERE organization_id = $1 AND contact_id = $2", tenant, id);
}

void addLists(Session& session, Tenant tenant, const std::vector<const Contact*>& contacts)
{
    auto emails = emailRows(), phones = phoneRows(), tags = tagRows(), externalIds = externalIdRows();
    for (const auto* contact : contacts)
    {
        addEmailRows(emails, tenant, *contact);
        addPhoneRows(phones, tenant, *contact);
        addTagRows(tags, tenant, *contact);
        addExternalIdRows(externalIds, tenant, *contact);
    }
    for (const auto* rows : {&emails, &phones, &tags, &externalIds}) rows->write(session);
}

std::optional<std::size_t> takenExternalId(Session& session, Tenant tenant, const Contact& contact)
{
    for (std::size_t i = 0; i < contact.externalIds.size(); ++i)
    {
        const auto holder = session.value<std::string>(
            "SELECT contact_id FROM contact_external_id WHERE organization_id = $1 AND system = $2 AND external_id = $3", tenant,
            contact.externalIds[i].system, contact.externalIds[i].id);
        if (holder && *holder != contact.id.text()) return i;
    }
    return std::nullopt;
}

} // namespace portico::crm
