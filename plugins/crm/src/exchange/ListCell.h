#pragma once

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
    Escaped    ///< ours: `;` or `,`, each of which stands for itself behind a backslash
};

/// The values, without white space around them and without empty ones.
std::vector<std::string> splitList(std::string_view cell, ListStyle style);

/// A cell that `splitList` with the same style takes apart again. Only Escaped can carry every text.
std::string joinList(const std::vector<std::string>& values, ListStyle style);

} // namespace portico::crm
