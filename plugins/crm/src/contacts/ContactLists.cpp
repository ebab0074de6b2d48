#include "contacts/ContactLists.h"

#include "contacts/ContactRow.h"
#include "data/ManyRows.h"
#include "text/EmailKey.h"

namespace portico::crm
{

void writeEmails(Session& session, Tenant tenant, const Contact& contact)
{
    session.execute("DELETE FROM contact_email WHERE organization_id = $1 AND contact_id = $2", tenant, contact.id);
    for (const auto& email : contact.emails)
        if (const auto key = emailKey(email.address))
            session.execute("INSERT INTO contact_email (organization_id, contact_id, address, domain) VALUES ($1, $2, $3, $4) "
                            "ON CONFLICT DO NOTHING",
                            tenant, contact.id, *key, std::string_view(*key).substr(key->rfind('@') + 1));
}

void writePhones(Session& session, Tenant tenant, const Contact& contact)
{
    session.execute("DELETE FROM contact_phone WHERE organization_id = $1 AND contact_id = $2", tenant, contact.id);
    for (const auto& phone : contact.phones)
        session.execute("INSERT INTO contact_phone (organization_id, contact_id, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                        tenant, contact.id, phoneKey(phone));
}

void writeTags(Session& session, Tenant tenant, const Contact& contact)
{
    session.execute("DELETE FROM contact_tag WHERE organization_id = $1 AND contact_id = $2", tenant, contact.id);
    for (const auto& tag : contact.tags)
        session.execute("INSERT INTO contact_tag (organization_id, contact_id, tag) VALUES ($1, $2, $3)", tenant, contact.id, tag);
}

void writeExternalIds(Session& session, Tenant tenant, const Contact& contact)
{
    removeExternalIds(session, tenant, contact.id);
    for (const auto& external : contact.externalIds)
        session.execute("INSERT INTO contact_external_id (organization_id, contact_id, system, external_id) VALUES ($1, $2, $3, $4)",
                        tenant, contact.id, external.system, external.id);
}

void removeExternalIds(Session& session, Tenant tenant, const ContactId& id)
{
    session.execute("DELETE FROM contact_external_id WHERE organization_id = $1 AND contact_id = $2", tenant, id);
}

void addLists(Session& session, Tenant tenant, const std::vector<const Contact*>& contacts)
{
    ManyRows emails("contact_email (organization_id, contact_id, address, domain)", 4, "ON CONFLICT DO NOTHING");
    ManyRows phones("contact_phone (organization_id, contact_id, number)", 3, "ON CONFLICT DO NOTHING");
    ManyRows tags("contact_tag (organization_id, contact_id, tag)", 3);
    ManyRows externalIds("contact_external_id (organization_id, contact_id, system, external_id)", 4);
    for (const auto* contact : contacts)
    {
        for (const auto& email : contact->emails)
            if (auto key = emailKey(email.address))
            {
                const auto address = emails.keep(*std::move(key));
                emails.add(tenant, contact->id, address, address.substr(address.rfind('@') + 1));
            }
        for (const auto& phone : contact->phones) phones.add(tenant, contact->id, phones.keep(phoneKey(phone)));
        for (const auto& tag : contact->tags) tags.add(tenant, contact->id, tag);
        for (const auto& external : contact->externalIds) externalIds.add(tenant, contact->id, external.system, external.id);
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
