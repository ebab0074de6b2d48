#include "contacts/ContactLists.h"

#include "contacts/ContactRow.h"
#include "text/EmailKey.h"

namespace portico::crm
{

void writeEmails(Session& session, std::string_view organizationId, const Contact& contact)
{
    session.execute("DELETE FROM contact_email WHERE organization_id = $1 AND contact_id = $2", organizationId, contact.id);
    for (const auto& email : contact.emails)
        if (const auto key = emailKey(email.address))
            session.execute("INSERT INTO contact_email (organization_id, contact_id, address, domain) VALUES ($1, $2, $3, $4) "
                            "ON CONFLICT DO NOTHING",
                            organizationId, contact.id, *key, std::string_view(*key).substr(key->rfind('@') + 1));
}

void writePhones(Session& session, std::string_view organizationId, const Contact& contact)
{
    session.execute("DELETE FROM contact_phone WHERE organization_id = $1 AND contact_id = $2", organizationId, contact.id);
    for (const auto& phone : contact.phones)
        session.execute("INSERT INTO contact_phone (organization_id, contact_id, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                        organizationId, contact.id, phoneKey(phone));
}

void writeTags(Session& session, std::string_view organizationId, const Contact& contact)
{
    session.execute("DELETE FROM contact_tag WHERE organization_id = $1 AND contact_id = $2", organizationId, contact.id);
    for (const auto& tag : contact.tags)
        session.execute("INSERT INTO contact_tag (organization_id, contact_id, tag) VALUES ($1, $2, $3)", organizationId, contact.id, tag);
}

void writeExternalIds(Session& session, std::string_view organizationId, const Contact& contact)
{
    removeExternalIds(session, organizationId, contact.id);
    for (const auto& external : contact.externalIds)
        session.execute("INSERT INTO contact_external_id (organization_id, contact_id, system, external_id) VALUES ($1, $2, $3, $4)",
                        organizationId, contact.id, external.system, external.id);
}

void removeExternalIds(Session& session, std::string_view organizationId, const ContactId& id)
{
    session.execute("DELETE FROM contact_external_id WHERE organization_id = $1 AND contact_id = $2", organizationId, id);
}

std::optional<std::size_t> takenExternalId(Session& session, std::string_view organizationId, const Contact& contact)
{
    for (std::size_t i = 0; i < contact.externalIds.size(); ++i)
    {
        const auto holder = session.value<std::string>(
            "SELECT contact_id FROM contact_external_id WHERE organization_id = $1 AND system = $2 AND external_id = $3", organizationId,
            contact.externalIds[i].system, contact.externalIds[i].id);
        if (holder && *holder != contact.id.text()) return i;
    }
    return std::nullopt;
}

} // namespace portico::crm
