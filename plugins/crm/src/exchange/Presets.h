#pragma once

#include "exchange/RecordBuilder.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Which program wrote a header.
ImportPreset recognisePreset(const std::vector<std::string>& names);

/// How a preset takes each column of a header; empty for a column that it does not know.
std::vector<std::optional<Binding>> presetBindings(ImportPreset preset, const std::vector<std::string>& names);

/// How values are separated in a cell for a member that was mapped by hand.
ListStyle listStyleOf(ImportPreset preset, Target target);

/// Columns that the error file of an import adds; they are ignored when it is imported again.
inline constexpr std::string_view errorCodeColumn = "_errorCode", errorMessageColumn = "_errorMessage";

} // namespace portico::crm
