#pragma once

#include "Ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace portico::crm
{

// Ids of imported records begin with the time and part of the random bits of the import's id, and end with the row. They sort like the rows
// and identify their import. A row yields the same contact id at every attempt.

/// Maximum rows for which ids are distinct.
constexpr std::int64_t maxImportRows = (std::int64_t{1} << 25) - 1;

ContactId contactIdOf(const ImportId& import, std::int64_t row);
/// `index`: 0 to 1023.
NoteId noteIdOf(const ImportId& import, std::int64_t row, std::int64_t index);
AttachmentId photoIdOf(const ImportId& import, std::int64_t row);

bool isMadeBy(const ImportId& import, const ContactId& contact);

/// Returns the first and the last id of imports that may have made the contact.
std::pair<std::string, std::string> importsThatMade(const ContactId& contact);

/// Returns the first and the last id of a kind (`con`, `not`, `fil`) that an import can make.
std::pair<std::string, std::string> idsMadeBy(const ImportId& import, std::string_view prefix);

} // namespace portico::crm
