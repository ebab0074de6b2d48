#pragma once

#include "fields/CustomFieldService.h"

#include "portico/Routes.h"

namespace portico::crm
{

/// /api/custom-fields. Thread-safe.
class CustomFieldRoutes
{
public:
    CustomFieldRoutes(PluginContext& context, const CustomFieldStore& store, CustomFieldService& service);
    void declare(Routes& routes);

    Page<CustomField> list(const Caller& caller, const Paging& paging) const;
    Created<CustomField> create(const Caller& caller, const Body<CustomField>& body);
    CustomField update(const Caller& caller, const Path<CustomFieldId>& id, const Body<Patch<CustomField>>& body, const IfMatch& ifMatch);
    DeletedCustomField remove(const Caller& caller, const Path<CustomFieldId>& id, const IfMatch& ifMatch);

private:
    PluginContext& _context;
    const CustomFieldStore& _store;
    CustomFieldService& _service;
};

} // namespace portico::crm
