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

constexpr auto schemaOf(const DeletedCustomField*)
{
    return describe(field("customFieldId", &DeletedCustomField::customFieldId), field("deleted", &DeletedCustomField::deleted));
}

} // namespace portico::crm
