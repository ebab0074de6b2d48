#pragma once

#include "Ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace portico::crm
{

// Ids of what an import makes begin with the import's own time and part of its random bits, and end with the row: they sort as the rows do,
// tell which import made a record, and one row makes one contact, however often it is tried.

/// Rows that have ids of their own.
constexpr std::int64_t mostImportRows = (std::int64_t{1} << 25) - 1;

ContactId contactIdOf(const ImportId& import, std::int64_t row);
/// `index`: 0 to 1023.
NoteId noteIdOf(const ImportId& import, std::int64_t row, std::int64_t index);
AttachmentId photoIdOf(const ImportId& import, std::int64_t row);

bool isMadeBy(const ImportId& import, const ContactId& contact);

/// The first and the last id of imports that can have made the contact.
std::pair<std::string, std::string> importsThatMade(const ContactId& contact);

/// The first and the last id of a kind (`con`, `not`, `fil`) that an import can make.
std::pair<std::string, std::string> idsMadeBy(const ImportId& import, std::string_view prefix);

} // namespace portico::crm
