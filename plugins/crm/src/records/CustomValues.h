#pragma once

#include "records/CustomField.h"

#include "portico/Problem.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Faults of custom values.
struct CustomValueFaults
{
    /// Keys without a field.
    std::vector<FieldError> unknown;
    std::vector<FieldError> invalid;
};

/// Normalizes values (shortest numbers, no null, no empty text or list, no duplicate option), and checks them by their fields. `before` are
/// the values of the stored contact, or null for a new one. Stored values are not checked again, so that changed definitions do not block
/// updates. Stored values of removed fields are dropped.
void completeCustomValues(CustomValues& values, const CustomValues* before, const CustomFields& fields, CustomValueFaults& faults);

/// Removes values whose fields were removed or have another type now.
void dropUndefined(CustomValues& values, const CustomFields& fields);

/// Parses a cell by its field. Text and dates are taken unchanged. Numbers are in JSON's form. Booleans may be `yes`, `no`, `1` and `0`.
/// Options are separated by `;`, or a JSON list. Other texts become JSON text, which `completeCustomValues` rejects.
Json customValueFromText(const CustomField& field, std::string_view text);
/// Inverse function: `customValueFromText(field, customValueToText(value))` is `value`.
std::string customValueToText(const Json& value);

} // namespace portico::crm
