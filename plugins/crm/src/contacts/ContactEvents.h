#pragma once

#include "records/Contact.h"

#include "portico/Events.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Data of `crm.contact.*`: the contact's id and the names of changed members, never their values.
struct ContactEvent
{
    ContactId contactId;
    std::string organizationId;
    std::optional<std::vector<std::string>> changedFields;
    /// Contacts that went into this one.
    std::optional<std::vector<ContactId>> mergedIds;
};

constexpr auto schemaOf(const ContactEvent*)
{
    return describe(members<&ContactEvent::contactId, &ContactEvent::organizationId>(), field<&ContactEvent::changedFields>().omitEmpty(),
                    field<&ContactEvent::mergedIds>().omitEmpty());
}

/// Writes the event `crm.contact.<what>` in the transaction of the change.
void publishContact(Events& events, Session& session, std::string_view what, Tenant tenant, const ContactId& id,
                    std::optional<std::vector<std::string>> changedFields = std::nullopt,
                    std::optional<std::vector<ContactId>> mergedIds = std::nullopt);

} // namespace portico::crm
