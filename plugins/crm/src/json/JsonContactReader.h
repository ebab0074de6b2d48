#pragma once

#include "exchange/Encodings.h"

#include <memory>

namespace portico::crm
{

/// Contacts from a JSON array, or one a line, as openImport gives them.
std::unique_ptr<ImportReader> readJsonContacts(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);

/// @throws Problem as planImport
ImportPlan planJson(ImportFile& file, const TextEncoding& encoding, ImportFormat format);

/// True for an array, or an object with the member `contacts`.
bool isContactArray(ImportFile& file, const TextEncoding& encoding);

} // namespace portico::crm
