#pragma once

#include "exchange/Binding.h"
#include "exchange/ContactBuilder.h"
#include "exchange/FieldPath.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Column of another program.
struct KnownColumn
{
    std::string_view name;
    Target target;
    std::size_t index = 0;
    std::string_view label = {};
    ListStyle list = ListStyle::None;
    std::string_view key = {};
    /// True for an alternative name of a column above, which is only read.
    bool alias = false;
};

/// Column name of the form `E-mail 1 - Value`: list, number, part.
struct NumberedColumn
{
    std::string_view list;
    std::string_view part;
    Target target;
    bool whole = false;
};

/// Return the columns of each program, in its order.
std::span<const KnownColumn> googleColumns();
std::span<const KnownColumn> googleLegacyColumns();
std::span<const KnownColumn> outlookColumns();
std::span<const KnownColumn> hubspotColumns();
/// Returns Google's numbered columns, without the number.
std::span<const NumberedColumn> googleNumberedColumns();

/// Detects the program that wrote a header.
ImportPreset recognisePreset(const std::vector<std::string>& names);

/// Returns the binding of each column of a header; empty for unknown columns.
std::vector<std::optional<Binding>> presetBindings(ImportPreset preset, const std::vector<std::string>& names);

/// Returns the separator of lists in a column that the user has mapped.
ListStyle listStyleOf(ImportPreset preset, Target target);

/// Columns that the error file of an import adds. A repeated import ignores them.
inline constexpr std::string_view errorCodeColumn = "_errorCode", errorMessageColumn = "_errorMessage";

} // namespace portico::crm
