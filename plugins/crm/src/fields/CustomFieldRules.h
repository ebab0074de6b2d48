#pragma once

#include "fields/CustomField.h"

namespace portico::crm
{

/// Puts a written definition in its final form and checks what the Schema cannot see. `before` is the stored one, or null for a new one.
/// @throws Problem 400 `validation_failed` with every fault.
void completeField(CustomField& field, const CustomField* before);

} // namespace portico::crm
