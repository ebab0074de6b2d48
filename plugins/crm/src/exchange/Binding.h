#pragma once

#include "exchange/FieldPath.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Separator of list values in one cell.
enum class ListStyle : unsigned char
{
    None,      ///< one value
    Colons,    ///< Google: ` ::: `
    Semicolon, ///< Outlook, HubSpot
    Escaped,   ///< `;` or `,`, escaped by a backslash: the format of this plugin
    Several    ///< addresses, numbers or links with any separator (`severalValues`)
};

/// Returns the values without surrounding white space and without empty ones.
std::vector<std::string> splitList(std::string_view cell, ListStyle style);

/// Joins values so that `splitList` with the same style restores them. Only Escaped supports every text.
std::string joinList(const std::vector<std::string>& values, ListStyle style);

/// Mapping of a column or property to a member of contacts.
struct Binding
{
    FieldPath path = {};
    /// Label of the list's element, or service of a social profile, that the column implies.
    std::string_view label = {};
    ListStyle list = ListStyle::None;
    /// True if labels in the file are those of another program.
    bool foreignLabels = false;
    /// True for an unstructured address, which is used if its parts are not given.
    bool wholeAddress = false;
};

/// Name and text of a value in the file. Views are valid until `finish`.
struct Origin
{
    std::string_view column = {};
    std::string_view value = {};
};

} // namespace portico::crm
