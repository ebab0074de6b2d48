#pragma once

#include "contacts/ContactStore.h"
#include "fields/CustomFieldRequests.h"
#include "fields/CustomFieldStore.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"
#include "portico/Results.h"

#include <optional>
#include <string_view>

namespace portico::crm
{

/// What can be done with custom fields, each in one transaction. Thread-safe.
class CustomFieldService
{
public:
    CustomFieldService(PluginContext& context, const ContactStore& contacts, const CustomFieldStore& store);
    /// Handles the job that goes on where `remove` ended.
    void start();

    /// @throws Problem 400 also for the 201st, 409 while the values of a removed field of this key are still being taken away.
    Created<CustomField> create(const Caller& caller, CustomField field);
    /// Merges (RFC 7396). @throws Problem 400, 404, 412
    CustomField update(const Caller& caller, const CustomFieldId& id, const Patch<CustomField>& patch, const IfMatch& ifMatch);
    /// Removes the field at once, and its values from the first contacts; where many have one, a job goes on after the answer. A contact
    /// that loses its value gets a new version. @throws Problem 404, 412
    DeletedCustomField remove(const Caller& caller, const CustomFieldId& id, const IfMatch& ifMatch);

    /// Runs that job: takes the values of a removed field from all contacts that are left. @throws std::runtime_error when it is asked to
    /// stop before the end, so that it is run again.
    void removeValues(const Job& job);

private:
    CustomField require(Transaction& transaction, Tenant tenant, const CustomFieldId& id) const;
    void checkRoom(Transaction& transaction, Tenant tenant, std::string_view key) const;
    /// Takes the value from the next contacts after one; the last of them, or empty if there are no more.
    std::optional<std::string> removeBatch(Transaction& transaction, Tenant tenant, const std::string& key, std::string_view after);

    PluginContext& _context;
    const ContactStore& _contacts;
    const CustomFieldStore& _store;
};

} // namespace portico::crm
