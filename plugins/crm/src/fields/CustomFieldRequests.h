#pragma once

#include "fields/CustomField.h"

namespace portico::crm
{

/// Answer of DELETE /api/custom-fields/{customFieldId}.
struct DeletedCustomField
{
    CustomFieldId customFieldId;
    bool deleted = true;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::DeletedCustomField>
{
    using T = portico::crm::DeletedCustomField;
    static constexpr auto fields = describe(field("customFieldId", &T::customFieldId), field("deleted", &T::deleted));
};
