#include "fields/CustomFieldRoutes.h"

namespace portico::crm
{

CustomFieldRoutes::CustomFieldRoutes(PluginContext& context, const CustomFieldStore& store, CustomFieldService& service)
    : _context(context), _store(store), _service(service)
{
}

void CustomFieldRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("settings:read", "settings.read");
    const auto writes = access::bearerOrKey("settings:write", "settings.write");
    constexpr std::string_view fields = "/api/custom-fields", field = "/api/custom-fields/{customFieldId}";
    routes.get(fields, reads, &CustomFieldRoutes::list, this, {.summary = "List the custom fields of contacts"})
        .post(fields, writes, &CustomFieldRoutes::create, this, {.summary = "Define a custom field", .problems = {"409 conflict"}})
        .put(field, writes, &CustomFieldRoutes::update, this, {.summary = "Change a custom field", .problems = {"412 version_conflict"}})
        .del(field, writes, &CustomFieldRoutes::remove, this,
             {.summary = "Remove a custom field, and its values from all contacts", .problems = {"412 version_conflict"}});
}

Page<CustomField> CustomFieldRoutes::list(const Caller& caller, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    return _store.list(session, tenant, paging);
}

Created<CustomField> CustomFieldRoutes::create(const Caller& caller, const Body<CustomField>& body)
{
    return _service.create(caller, *body);
}

CustomField CustomFieldRoutes::update(const Caller& caller, const Path<CustomFieldId>& id, const Body<Patch<CustomField>>& body,
                                      const IfMatch& ifMatch)
{
    return _service.update(caller, *id, *body, ifMatch);
}

DeletedCustomField CustomFieldRoutes::remove(const Caller& caller, const Path<CustomFieldId>& id, const IfMatch& ifMatch)
{
    return _service.remove(caller, *id, ifMatch);
}

} // namespace portico::crm
