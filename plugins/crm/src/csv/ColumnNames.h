#pragma once

#include "exchange/FieldPath.h"

#include <span>
#include <string_view>
#include <utility>

namespace portico::crm
{

/// A name without case, accents, spaces and punctuation, in English or German. Elements of lists get the next free place.
struct ColumnName
{
    std::string_view name;
    Target target;
    std::string_view label = {};
};

/// The names of columns in tables of any program.
std::span<const ColumnName> columnNames();

/// The names of the parts of a postal address.
std::span<const ColumnName> addressColumnNames();

/// The words before or behind the parts of an address, a phone number or an e-mail address, each with the label that it means.
std::span<const std::pair<std::string_view, std::string_view>> columnKinds();

} // namespace portico::crm
