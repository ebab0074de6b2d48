#pragma once

#include "exchange/FieldPath.h"
#include "exchange/ListCell.h"

#include <cstddef>
#include <span>
#include <string_view>

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

} // namespace portico::crm
