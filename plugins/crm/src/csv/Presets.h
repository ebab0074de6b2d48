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

/// A column as a program names it.
struct KnownColumn
{
    std::string_view name;
    Target target;
    std::size_t index = 0;
    std::string_view label = {};
    ListStyle list = ListStyle::None;
    std::string_view key = {};
    /// Another name for a column above, which is only read.
    bool alias = false;
};

/// `E-mail 1 - Value`: list, number, part.
struct NumberedColumn
{
    std::string_view list;
    std::string_view part;
    Target target;
    bool whole = false;
};

/// The columns of each program that have names of their own, in its order.
std::span<const KnownColumn> googleColumns();
std::span<const KnownColumn> googleLegacyColumns();
std::span<const KnownColumn> outlookColumns();
std::span<const KnownColumn> hubspotColumns();
/// Google's columns with a number, without it.
std::span<const NumberedColumn> googleNumberedColumns();

/// Which program wrote a header.
ImportPreset recognisePreset(const std::vector<std::string>& names);

/// How a preset takes each column of a header; empty for a column that it does not know.
std::vector<std::optional<Binding>> presetBindings(ImportPreset preset, const std::vector<std::string>& names);

/// How values are separated in a cell for a member that was mapped by hand.
ListStyle listStyleOf(ImportPreset preset, Target target);

/// Columns that the error file of an import adds; they are ignored when it is imported again.
inline constexpr std::string_view errorCodeColumn = "_errorCode", errorMessageColumn = "_errorMessage";

} // namespace portico::crm
