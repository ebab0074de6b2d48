#pragma once

#include "records/CustomField.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// /api/custom-fields, each in one transaction. Thread-safe.
class CustomFieldRoutes
{
public:
    explicit CustomFieldRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);
    /// Handles the job that goes on where `remove` ended.
    void start();

    Page<CustomField> list(const Caller& caller, const Paging& paging) const;
    /// @throws Problem 400 also for the 201st, 409 while the values of a removed field of this key are still being taken away.
    Created<CustomField> create(const Caller& caller, const Body<CustomField>& body);
    CustomField update(const Caller& caller, const Path<CustomFieldId>& id, const Body<Patch<CustomField>>& body, const IfMatch& ifMatch);
    /// Removes the field at once, and its values from the first contacts; where many have one, a job goes on after the answer. A contact
    /// that loses its value gets a new version.
    Deleted<CustomFieldId, "customFieldId"> remove(const Caller& caller, const Path<CustomFieldId>& id, const IfMatch& ifMatch);

    /// Runs that job: takes the values of a removed field from all contacts that are left. @throws std::runtime_error when it is asked to
    /// stop before the end, so that it is run again.
    void removeValues(Tenant tenant, const CustomFieldId& id, const std::stop_token& stop);

private:
    void checkRoom(Transaction& transaction, Tenant tenant, std::string_view key) const;
    /// Takes the value from the next contacts after one; the last of them, or empty if there are no more.
    std::optional<std::string> removeBatch(Transaction& transaction, Tenant tenant, const std::string& key, std::string_view after);

    PluginContext& _context;
};

} // namespace portico::crm
