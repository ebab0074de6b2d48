#pragma once

#include "records/CustomField.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Routes below /api/custom-fields. Each call runs in one transaction. Thread-safe.
class CustomFieldRoutes
{
public:
    explicit CustomFieldRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);
    /// Registers the job that continues `remove`.
    void start();

    Page<CustomField> list(const Caller& caller, const Paging& paging) const;
    /// @throws Problem 400 also for the 201st field; 409 while the values of a removed field with this key are still being removed
    Created<CustomField> create(const Caller& caller, const Body<CustomField>& body);
    CustomField update(const Caller& caller, const Path<CustomFieldId>& id, const Body<Patch<CustomField>>& body, const IfMatch& ifMatch);
    /// Removes the field, and its values from the first contacts. If more contacts have one, a job continues after the answer. A contact
    /// that loses its value gets a new version.
    Deleted<CustomFieldId, "customFieldId"> remove(const Caller& caller, const Path<CustomFieldId>& id, const IfMatch& ifMatch);

    /// Runs that job: removes the values of a removed field from the remaining contacts.
    /// @throws std::runtime_error if it is asked to stop before the end, so that it is run again
    void removeValues(Tenant tenant, const CustomFieldId& id, const std::stop_token& stop);

private:
    void checkRoom(Transaction& transaction, Tenant tenant, std::string_view key) const;
    /// Removes the value from the next contacts after one. Returns the last of them, or none if there are no more.
    std::optional<std::string> removeBatch(Transaction& transaction, Tenant tenant, const std::string& key, std::string_view after);

    PluginContext& _context;
};

} // namespace portico::crm
