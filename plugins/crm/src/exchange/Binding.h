#pragma once

#include "exchange/FieldPath.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// What separates the values of a list in one cell.
enum class ListStyle : unsigned char
{
    None,      ///< one value
    Colons,    ///< Google: ` ::: `
    Semicolon, ///< Outlook, HubSpot
    Escaped,   ///< ours: `;` or `,`, each of which stands for itself behind a backslash
    Several    ///< addresses, numbers or links, however they are separated (`severalValues`)
};

/// The values, without white space around them and without empty ones.
std::vector<std::string> splitList(std::string_view cell, ListStyle style);

/// A cell that `splitList` with the same style takes apart again. Only Escaped can carry every text.
std::string joinList(const std::vector<std::string>& values, ListStyle style);

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
