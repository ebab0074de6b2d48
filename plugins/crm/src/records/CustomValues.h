#pragma once

#include "records/CustomField.h"

#include "portico/Problem.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// What is wrong with custom values.
struct CustomValueFaults
{
    /// Keys that no field has.
    std::vector<FieldError> unknown;
    std::vector<FieldError> invalid;
};

/// Puts written values in their final form (numbers shortest, no null, no empty text or list, no option twice) and checks them by their
/// fields. `before` are the values of the stored contact, or null for a new one: what stands there already is not checked again, so that a
/// change of a definition makes no contact unwritable; and what is left there of a field that is gone is dropped.
void completeCustomValues(CustomValues& values, const CustomValues* before, const CustomFields& fields, CustomValueFaults& faults);

/// Without the values whose fields are gone, or of another type now.
void dropUndefined(CustomValues& values, const CustomFields& fields);

/// A value from a cell of a file, by its field: text and date as they are; numbers as JSON writes them; booleans also as `yes`, `no`, `1`,
/// `0`; several options separated by `;`, or as a JSON list. What does not fit becomes JSON text, for `completeCustomValues` to refuse.
Json customValueFromText(const CustomField& field, std::string_view text);
/// The same way back: `customValueFromText(field, customValueToText(value))` is `value`.
std::string customValueToText(const Json& value);

} // namespace portico::crm
