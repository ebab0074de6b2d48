#include "contacts/ContactEvents.h"

#include "portico/Json.h"

namespace portico::crm
{

void publishContact(Events& events, Session& session, std::string_view what, Tenant tenant, const ContactId& id,
                    std::optional<std::vector<std::string>> changedFields, std::optional<std::vector<ContactId>> mergedIds)
{
    events.publish(session, "crm.contact." + std::string(what), tenant.text(),
                   toJson(ContactEvent{id, std::string(tenant.text()), std::move(changedFields), std::move(mergedIds)}));
}

} // namespace portico::crm
