#pragma once

#include <string>
#include <string_view>

namespace portico::crm
{

/// Spreadsheets run a cell that starts with `=`, `@`, `+`, `-`, tab or CR as a formula. Such a cell gets an apostrophe in front, unless it
/// is a number or a phone number; so does a cell that already looks guarded, so that `withoutFormulaGuard` gives back every text as it was.
bool needsFormulaGuard(std::string_view cell);

/// The text without the apostrophe that guards it.
std::string_view withoutFormulaGuard(std::string_view cell);

} // namespace portico::crm
