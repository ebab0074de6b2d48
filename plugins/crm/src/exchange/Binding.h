#pragma once

#include "exchange/FieldPath.h"
#include "exchange/ListCell.h"

#include <string_view>

namespace portico::crm
{

/// How the values of one column or property are taken.
struct Binding
{
    FieldPath path = {};
    /// Label of the list's element, or service of a social profile, that comes with the column.
    std::string_view label = {};
    ListStyle list = ListStyle::None;
    /// Labels in the file are those of another program.
    bool foreignLabels = false;
    /// An address in one piece, for where its parts are not given.
    bool wholeAddress = false;
};

/// What a value is called and what it says in the file. Views live until `finish`.
struct Origin
{
    std::string_view column = {};
    std::string_view value = {};
};

} // namespace portico::crm
